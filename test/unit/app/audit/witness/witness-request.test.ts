import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  parseWitnessRequest,
  witnessRequestText,
} from '../../../../../src/app/audit/witness/witness-request.ts';

const hash = fc.uint8Array({ minLength: 32, maxLength: 32 });

describe('a request for a cosignature', () => {
  it('is written as the specification prints it', () => {
    const proof = [
      'PlRNCrwHpqhGrupue0L7gxbjbMiKA9temvuZZDDpkaw=',
      'jrJZDmY8Y7SyJE0MWLpLozkIVMSMZcD5kvuKxPC3swk=',
    ];
    const note =
      'example.com/behind-the-sofa\n20852163\nCsUY…\n\n— example.com/behind-the-sofa Az3g\n';
    expect(
      witnessRequestText({
        oldSize: 20852014,
        proof: proof.map((text) => Buffer.from(text, 'base64')),
        note,
      }),
    ).toBe(`old 20852014\n${proof.join('\n')}\n\n${note}`);
  });

  it('is read as it was written', () => {
    fc.assert(
      fc.property(
        fc.maxSafeNat(),
        fc.array(hash, { maxLength: 63 }),
        fc.string(),
        (oldSize, proof, note) => {
          const request = { oldSize, proof, note };
          expect(parseWitnessRequest(witnessRequestText(request))).toEqual({
            ok: true,
            value: request,
          });
        },
      ),
    );
  });

  it.each([
    ['no size', 'old\n\n'],
    ['a zero in front', 'old 01\n\n'],
    ['a size beyond whole numbers', 'old 9999999999999999\n\n'],
    ['no empty line', 'old 1\nexample.com\n'],
    ['a carriage return', 'old 1\r\n\r\n'],
    ['a hash that is too short', 'old 1\nPlRNCrwHpqhGrupue0L7gxbjbMiKA9temvuZZDDpkQ==\n\n'],
    ['loose bits in a hash', 'old 1\nPlRNCrwHpqhGrupue0L7gxbjbMiKA9temvuZZDDpkax=\n\n'],
    ['64 hashes', `old 1\n${`${'A'.repeat(43)}=\n`.repeat(64)}\n`],
  ])('is refused with %s', (_, body) => {
    expect(parseWitnessRequest(body)).toMatchObject({ ok: false });
  });
});
