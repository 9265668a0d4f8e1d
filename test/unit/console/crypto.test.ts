import { hash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import * as ed from '@noble/ed25519';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as ofNode from '../../../src/app/audit/proofs/crypto.ts';
import * as published from '../../../src/app/audit/proofs/verifier.ts';
import * as ofBrowsers from '../../../src/console/crypto.ts';
import { browserVerifier } from '../../support/browser-verifier.ts';
import { forgeries, type Verifier } from '../../support/forgeries.ts';
import { isNightly } from '../../support/nightly.ts';
import { ProofLog } from '../../support/proof-log.ts';
import { receiptVectors } from '../../support/receipt-vectors.ts';
import { mixedKey, mixedSignature, torsionedSignature } from '../../support/torsioned.ts';

const verifier = await browserVerifier();

/** One in so many forgeries is tried. Node's cryptography refuses all of them every time, and faster. */
const EVERY = isNightly ? 1 : 149;

describe('The verifier with the cryptography of browsers', () => {
  it('has the verdict of the published one on every vector, with its reason', async () => {
    for (const { what, receipt, key } of await receiptVectors()) {
      expect(plain(verifier.verifyReceipt(receipt, key)), what).toEqual(
        plain(published.verifyReceipt(receipt, key)),
      );
    }
  });

  it('accepts every receipt of logs of 1 to 20 events', async () => {
    for (let size = 1; size <= 20; size += 1) {
      const log = new ProofLog(size);
      for (let position = 1; position <= size; position += 1) {
        const verdict = verifier.verifyReceipt(await log.receipt(position), log.vkey);
        expect(verdict).toMatchObject({ ok: true, value: { position } });
      }
    }
  });

  it('refuses forgeries of every kind, at night all of them, for the same reason', async () => {
    const differing: string[] = [];
    let [count, now] = [0, ''];
    const both = comparing(() => differing.push(now));
    for await (const { what, accepted } of forgeries()) {
      [count, now] = [count + 1, what];
      if (count % EVERY !== 0) continue;
      if (accepted(both)) differing.push(`accepted: ${what}`);
    }
    expect(count).toBeGreaterThan(50_000);
    expect(differing).toStrictEqual([]);
  });
});

/** Returns the verifier of browsers, which reports each verdict that is not the published one. */
function comparing(onDifference: () => void): Verifier {
  const names = ['verifyInclusion', 'verifyConsistency', 'verifyCheckpoint', 'verifyReceipt'];
  const compared = names.map((name) => {
    const [one, other] = [verifier, published].map((each) => each[name as 'verifyReceipt']);
    const call = (...given: [string, string]) => {
      const verdict = one?.(...given);
      if (plain(verdict) !== plain(other?.(...given))) onDifference();
      return verdict;
    };
    return [name, call];
  });
  return { ...verifier, ...Object.fromEntries(compared) };
}

/** Returns a verdict as a text, whatever arrays its bytes are in. */
function plain(verdict: unknown): string {
  return JSON.stringify(verdict, (_, value) => {
    return value instanceof Uint8Array ? Array.from(value) : value;
  });
}

describe('The cryptography of browsers', () => {
  it('hashes as Node does, texts and bytes, at once and in parts', () => {
    const bytes = fc.uint8Array({ maxLength: 300 });
    fc.assert(
      fc.property(bytes, fc.array(fc.string({ unit: 'grapheme' })), (data, parts) => {
        expect(Buffer.from(ofBrowsers.sha256(data))).toEqual(hash('sha256', data, 'buffer'));
        const digests = [ofBrowsers, ofNode].map(({ sha256, sha256InParts }) => {
          const digester = sha256InParts();
          for (const part of parts) digester.update(part);
          return [sha256(parts.join('')), digester.digest()].map((digest) => [...digest]);
        });
        expect(digests[0]).toStrictEqual(digests[1]);
        expect(digests[0]?.[0]).toStrictEqual(digests[0]?.[1]);
      }),
    );
  });

  it('refuses keys and signatures that are none, without an exception', () => {
    const [key, signature] = [new Uint8Array(32).fill(255), new Uint8Array(64)];
    for (const { isSignedBy } of [ofBrowsers, ofNode]) {
      expect(isSignedBy(key, 'text', signature)).toBe(false);
      expect(isSignedBy(new Uint8Array(32).fill(7), 'text', signature.subarray(1))).toBe(false);
    }
  });

  it('does not multiply by the cofactor, as Node does not', () => {
    const seeds = fc.uint8Array({ minLength: 32, maxLength: 32 });
    fc.assert(
      fc.property(seeds, fc.string({ unit: 'grapheme' }), (seed, text) => {
        const [key, mixed] = [ed.getPublicKey(seed), mixedKey(seed)];
        for (const [under, signature, holds] of [
          [key, ed.sign(Buffer.from(text), seed), true],
          [key, torsionedSignature(seed, text), false],
          [mixed, mixedSignature(seed, text, true), true],
          [mixed, mixedSignature(seed, text, false), false],
        ] as const) {
          expect(ofBrowsers.isSignedBy(under, text, signature)).toBe(holds);
          expect(ofNode.isSignedBy(under, text, signature)).toBe(holds);
        }
      }),
      { numRuns: 20 },
    );
  });
});

it('No script of the console uses anything of Node', () => {
  const scripts = readdirSync('vendor/console').filter((name) => name.endsWith('.js'));
  expect(scripts.length).toBeGreaterThan(1);
  for (const script of scripts) {
    const code = readFileSync(`vendor/console/${script}`, 'utf8');
    expect(/\bBuffer\b|\bprocess\.|node:/.exec(code), script).toBeNull();
  }
});
