import { createPublicKey, verify } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  cosignerKey,
  verifyCosignature,
  verifyCosignatureBy,
} from '../../../../../src/app/audit/proofs/cosignature.ts';
import { verifyCheckpoint } from '../../../../../src/app/audit/proofs/verifier.ts';
import { NoteSigner } from '../../../../../src/app/audit/proving/checkpoint.ts';
import { InvalidSigningKey } from '../../../../../src/app/audit/proving/signing-key.ts';
import { Cosigner } from '../../../../../src/app/audit/witness/cosigner.ts';

const log = new NoteSigner('example.com/log', Buffer.alloc(32, 1));
const witness = new Cosigner('witness.example/w1', Buffer.alloc(32, 2));
const note = log.signCheckpoint(3, Buffer.alloc(32, 7));
const text = note.slice(0, note.indexOf('\n\n') + 1);
const AT_S = 1_679_315_147;

function keyOf({ verifierKey }: { readonly verifierKey: string }) {
  const key = cosignerKey(verifierKey);
  if (!key.ok) throw new Error(key.reason);
  return key.value;
}

describe('a cosignature', () => {
  it('is the time, and a signature on two lines before the checkpoint', () => {
    const [, name, base64 = ''] = /^— (\S+) (\S+)\n$/.exec(witness.cosign(text, AT_S)) ?? [];
    const bytes = Buffer.from(base64, 'base64');
    expect(name).toBe('witness.example/w1');
    expect(bytes.length).toBe(4 + 8 + 64);
    expect(bytes.readBigUInt64BE(4)).toBe(BigInt(AT_S));
    // Verified by hand, with the message that the specification prints.
    const x = Buffer.from(witness.verifierKey.split('+').slice(2).join('+'), 'base64');
    const key = createPublicKey({
      key: { kty: 'OKP', crv: 'Ed25519', x: x.subarray(1).toString('base64url') },
      format: 'jwk',
    });
    const message = Buffer.from(`cosignature/v1\ntime 1679315147\n${text}`);
    expect(x[0]).toBe(4);
    expect(verify(null, message, key, bytes.subarray(12))).toBe(true);
  });

  it('joins the signatures of a note, which the log key still verifies', () => {
    const cosigned = note + witness.cosign(text, AT_S);
    expect(verifyCheckpoint(cosigned, log.verifierKey)).toMatchObject({ ok: true });
    expect(verifyCosignature(cosigned, keyOf(witness))).toEqual({ ok: true, value: AT_S });
  });

  it('is the newest of several, and none where the witness did not sign', () => {
    const several = [AT_S, AT_S + 9, AT_S + 3].map((atS) => witness.cosign(text, atS)).join('');
    expect(verifyCosignature(note + several, keyOf(witness))).toEqual({
      ok: true,
      value: AT_S + 9,
    });
    // Neither another key under this name nor this key under another name stands for it.
    const others = [
      new Cosigner(witness.name, Buffer.alloc(32, 3)),
      new Cosigner('witness.example/w2', Buffer.alloc(32, 2)),
    ];
    const lines = others.map((other) => other.cosign(text, AT_S)).join('');
    const short = '— witness.example/w1 AAAAAAA=\n';
    expect(verifyCosignature(note + lines + short, keyOf(witness))).toEqual({
      ok: true,
      value: undefined,
    });
    // An id alone is no signature of anybody.
    const alone = `${note}— witness.example/w1 AAAAAA==\n`;
    expect(verifyCosignature(alone, keyOf(witness))).toEqual({
      ok: false,
      reason: 'a signature is shorter than the id of its key',
    });
  });

  it('is refused with any other byte, time or checkpoint', () => {
    const refusal = { ok: false, reason: 'the cosignature by witness.example/w1 is not valid' };
    const line = witness.cosign(text, AT_S);
    const bytes = Buffer.from(line.split(' ')[2] ?? '', 'base64');
    fc.assert(
      fc.property(fc.nat({ max: 71 }), fc.integer({ min: 1, max: 255 }), (at, flipped) => {
        const changed = bytes.map((byte, index) => (index === at + 4 ? byte ^ flipped : byte));
        const forged = `— ${witness.name} ${Buffer.from(changed).toString('base64')}\n`;
        expect(verifyCosignature(note + forged, keyOf(witness))).toEqual(refusal);
      }),
    );
    const short = `— ${witness.name} ${bytes.subarray(0, 75).toString('base64')}\n`;
    expect(verifyCosignature(note + short, keyOf(witness))).toEqual(refusal);
    const other = log.signCheckpoint(4, Buffer.alloc(32, 7));
    expect(verifyCosignature(other + line, keyOf(witness))).toEqual(refusal);
    const late = witness.cosign(text, 253_402_300_800);
    expect(verifyCosignature(note + late, keyOf(witness))).toEqual(refusal);
    // It may be one of a subtree.
    const withoutTime = witness.cosign(text, 0);
    expect(verifyCosignature(note + withoutTime, keyOf(witness))).toEqual(refusal);
    expect(verifyCosignature(note + withoutTime + line, keyOf(witness))).toEqual(refusal);
    const first = witness.cosign(text, 1);
    expect(verifyCosignature(note + first, keyOf(witness))).toEqual({ ok: true, value: 1 });
    expect(verifyCosignature(`${text}${line}`, keyOf(witness))).toMatchObject({ ok: false });
  });
});

describe('the key of a witness', () => {
  it('is read from its text', () => {
    const generated = Cosigner.generate('witness.example/w3');
    const again = Cosigner.parse(generated.privateKey());
    expect(again.verifierKey).toBe(generated.verifierKey);
    expect(again.cosign(text, AT_S)).toBe(generated.cosign(text, AT_S));
  });

  it('is not that of a log, and the other way round', () => {
    expect(() => Cosigner.parse(log.privateKey())).toThrow(InvalidSigningKey);
    expect(() => NoteSigner.parse(witness.privateKey())).toThrow(InvalidSigningKey);
    expect(cosignerKey(log.verifierKey)).toEqual({
      ok: false,
      reason: 'the public key has the type 1, not 4 for Ed25519',
    });
    expect(verifyCheckpoint(note, witness.verifierKey)).toMatchObject({ ok: false });
    expect(verifyCosignatureBy(note, log.verifierKey)).toMatchObject({ ok: false });
  });
});
