import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifyCheckpoint, verifyNote } from '../../../../../src/app/audit/proofs/verifier.ts';
import { checkpointText, NoteSigner } from '../../../../../src/app/audit/proving/checkpoint.ts';
import { InvalidSigningKey } from '../../../../../src/app/audit/proving/signing-key.ts';
import { mth } from '../../../../support/reference-tree.ts';
import { CHECKPOINTS, LEAVES, PRIVATE_KEY, VKEY } from '../../../../support/tessera-vectors.ts';

// From the tests of golang.org/x/mod/sumdb/note, which the specification of signed notes grew from.
const PETER = {
  privateKey: 'PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz',
  vkey: 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW',
  text: `If you think cryptography is the answer to your problem,
then you don't know what your problem is.
`,
  signature:
    '— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n',
};

const seeds = fc.uint8Array({ minLength: 32, maxLength: 32 });

describe('a signer of notes', () => {
  it("signs as Go's notes are signed, to the byte", () => {
    const peter = NoteSigner.parse(PETER.privateKey);
    expect(peter.verifierKey).toBe(PETER.vkey);
    expect(peter.sign(PETER.text)).toBe(`${PETER.text}\n${PETER.signature}`);
  });

  it('signs the checkpoints that Tessera signed, to the byte', () => {
    const log = NoteSigner.parse(PRIVATE_KEY);
    expect(log.verifierKey).toBe(VKEY);
    const signed = CHECKPOINTS.map((_, size) =>
      log.signCheckpoint(size, mth(LEAVES.slice(0, size))),
    );
    expect(signed).toHaveLength(16);
    expect(signed).toStrictEqual(CHECKPOINTS);
  });

  it('is restored from the text of its key', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const signer = new NoteSigner('orders.example/log', seed);
        const again = NoteSigner.parse(signer.privateKey());
        expect(again.privateKey()).toBe(signer.privateKey());
        expect(again.verifierKey).toBe(signer.verifierKey);
        expect(again.sign('text\n')).toBe(signer.sign('text\n'));
      }),
      { numRuns: 20 },
    );
  });

  it('is different each time that one is generated, and does not reveal its seed when printed', () => {
    const [one, other] = [NoteSigner.generate('log'), NoteSigner.generate('log')];
    expect(one.verifierKey).not.toBe(other.verifierKey);
    // Base64 may have a plus sign.
    const secret = one.privateKey().split('+').slice(4).join('+');
    expect(secret).toHaveLength(44);
    expect(JSON.stringify(one)).not.toContain(secret);
  });

  it('signs any checkpoint so that the verifier accepts it with the same contents', () => {
    const sizes = fc.oneof(fc.maxSafeNat(), fc.constantFrom(1, 2 ** 53 - 1));
    fc.assert(
      fc.property(seeds, sizes, seeds, (seed, anySize, root) => {
        const size = Math.max(anySize, 1);
        const signer = new NoteSigner('läden.example/a', seed);
        const verdict = verifyCheckpoint(signer.signCheckpoint(size, root), signer.verifierKey);
        expect(verdict).toEqual({
          ok: true,
          value: { origin: 'läden.example/a', epoch: '0', size, root: Uint8Array.from(root) },
        });
      }),
      { numRuns: 50 },
    );
  });

  it('signs notes in which there are empty lines', () => {
    const peter = NoteSigner.parse(PETER.privateKey);
    const text = `a\n\n${PETER.signature}\n`;
    expect(verifyNote(peter.sign(text), PETER.vkey)).toEqual({ ok: true, value: text });
  });

  it.each([
    ['does not end its line', 'text'],
    ['is nothing', ''],
    ['has a tab', 'a\tb\n'],
    ['has a carriage return', 'a\r\n'],
    ['is not Unicode', 'a\ud800\n'],
  ])('signs no text that %s', (_, text) => {
    expect(() => NoteSigner.generate('log').sign(text)).toThrow(
      new RangeError('a note is made of whole lines, without control characters'),
    );
  });

  it.each(['', 'a b', 'a+b', 'a\nb', 'a\u0085b', 'a\u3000b'])('has not the name %j', (name) => {
    expect(() => NoteSigner.generate(name)).toThrow(
      new InvalidSigningKey('the name of a key must not be empty nor have blanks or a +'),
    );
  });

  it('has a seed of 32 bytes', () => {
    expect(() => new NoteSigner('log', Buffer.alloc(31))).toThrow(
      new InvalidSigningKey('the seed of a key has 32 bytes, not 31'),
    );
  });

  it.each([
    ['nothing', '', 'a signing key reads PRIVATE+KEY+name+id+base64, with Ed25519'],
    [
      'the id of another key',
      PETER.privateKey.replace('c74f20a3', 'c74f20a4'),
      "the signing key's id is not that of its name and key",
    ],
  ])('says why it cannot be made from a text that has %s', (_, text, reason) => {
    const refusal = expect.objectContaining({ name: 'InvalidSigningKey', message: reason });
    expect(() => NoteSigner.parse(text)).toThrow(refusal);
  });

  it('is not made from any other text, which is never quoted', () => {
    const bytes = Buffer.from(PETER.privateKey);
    const others = [
      ...Array.from(bytes, (_, end) => bytes.subarray(0, end)),
      ...Array.from(bytes, (_, start) => bytes.subarray(start + 1)),
      ...Array.from(bytes, (byte, at) => bytes.with(at, byte + 1)),
      Buffer.from(` ${PETER.privateKey}`),
      Buffer.from(`${PETER.privateKey}\n`),
      // Another algorithm, under the id that it would have.
      Buffer.from(PETER.privateKey.replace('+AYE', '+ZYE')),
    ].map((each) => Buffer.from(each).toString());
    expect(others.length).toBeGreaterThan(200);
    for (const text of others) {
      let error: unknown;
      try {
        NoteSigner.parse(text);
      } catch (thrown) {
        error = thrown;
      }
      expect(error, text).toBeInstanceOf(InvalidSigningKey);
      expect((error as Error).message).not.toContain('FALVFGyNhPJE');
    }
  });
});

describe('the text of a checkpoint', () => {
  it('is three lines', () => {
    const root = Buffer.from('CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=', 'base64');
    // The example of the specification.
    expect(checkpointText('example.com/behind-the-sofa', 20852163, root)).toBe(
      'example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n',
    );
  });

  it.each([-1, 0.5, 2 ** 53, Number.NaN])('is not made for the size %d', (size) => {
    expect(() => checkpointText('log', size, Buffer.alloc(32))).toThrow(`${size} is not a size`);
  });

  it('is not made for an invalid root', () => {
    expect(() => checkpointText('log', 1, Buffer.alloc(33))).toThrow('a hash has 32 bytes, not 33');
  });
});
