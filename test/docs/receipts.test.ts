import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as verifier from '../../src/app/audit/proofs/verifier.ts';
import { receiptOf } from '../../src/app/audit/proving/receipt.ts';
import { leafHash } from '../../src/app/log/merkle-tree.ts';
import * as client from '../../src/client/receipt-verifier.ts';
import { anyText } from '../support/any-text.ts';
import { browserVerifier } from '../support/browser-verifier.ts';
import { forgeries, type Verifier } from '../support/forgeries.ts';
import { isNightly, runs } from '../support/nightly.ts';
import { ProofLog } from '../support/proof-log.ts';
import { receiptVectors } from '../support/receipt-vectors.ts';
import { records, signer } from '../support/vector-log.ts';
import { type Mistakes, testMistakes, verifierInPages } from './verifiers.ts';

/**
 * docs/receipts.md contains a verifier that was written from the specification alone and imports no
 * code of the project. It and the published verifier must agree on every receipt, genuine or forged.
 */

/** The verifier in the page: returns the event that a receipt proves, or throws. */
interface OfThePage {
  verifyReceipt(receipt: string, vkey: string): unknown;
  cancellation(receipt: string, vkey: string, orderId: string): unknown;
}

const verifierOfThePage = () => verifierInPages<OfThePage>('verify-receipt.mjs');

/** By day each of so many forgeries is tried: a prime number, for all kinds of them. */
const TRIED_BY_DAY = 11;

/** Returns whether the page's verifier accepts a receipt. Any exception is a refusal. */
function accepts(page: OfThePage, receipt: string, vkey: string): boolean {
  try {
    return page.verifyReceipt(receipt, vkey) !== undefined;
  } catch {
    return false;
  }
}

test('The published vectors are those that the tests generate', async () => {
  const format = 'store-orders/receipt-vectors/v1';
  const text = JSON.stringify({ format, vectors: await receiptVectors() }, null, 2);
  await expect(`${text}\n`).toMatchFileSnapshot('../../docs/receipt-vectors.json');
});

test('Each vector is genuine or forged as described, and no two are equal', async () => {
  const page = await verifierOfThePage();
  const vectors = await receiptVectors();
  expect(new Set(vectors.map(({ what }) => what)).size).toBe(vectors.length);
  expect(new Set(vectors.map(({ receipt, key }) => receipt + key)).size).toBe(vectors.length);
  for (const { what, receipt, key, record } of vectors) {
    const verdict = verifier.verifyReceipt(receipt, key);
    expect(verdict.ok ? verdict.value.record : undefined, what).toBe(record);
    expect(accepts(page, receipt, key), what).toBe(record !== undefined);
  }
  expect(vectors.filter(({ record }) => record === undefined).length).toBeGreaterThan(40);
});

/** Mistakes of a verifier, planted in that of the page. */
const MISTAKES: Mistakes = {
  'decodes base64 leniently': ["need(bytes.toString('base64') === text, 'not base64');", ''],
  'takes numbers of any size as they are read': ['need(canonical(event) === record', 'need(true'],
  'sorts no members': ['Object.keys(value).sort()', 'Object.keys(value)'],
  'sorts by code points': [
    'Object.keys(value).sort()',
    'Object.keys(value).sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))',
  ],
  'sorts by a language': ['.sort()', '.sort((a, b) => a.localeCompare(b))'],
  'accepts half of a surrogate pair': ['value.isWellFormed()', 'true'],
  'accepts any depth': ['depth <= 100', 'true'],
  'accepts a lesser depth': ['depth <= 100', 'depth < 100'],
  'accepts members in any order': [
    'Object.keys(value)) === JSON.stringify(members)',
    'Object.keys(value).sort()) === JSON.stringify([...members].sort())',
  ],
  'accepts members beyond those': [
    'JSON.stringify(Object.keys(value)) === JSON.stringify(members)',
    'members.every((member) => member in value)',
  ],
  'accepts keys of any type': ["need(bytes[0] === 1, 'not a key for Ed25519');", ''],
  "does not compute the key's id": ["need(own.toString('hex') === id", 'need(true'],
  'accepts control characters': ["/^[^\\p{Cc}]*$/u.test(note.replaceAll('\\n', ''))", 'true'],
  'accepts any number of signatures': ['lines.length <= 100', 'true'],
  'accepts fewer signatures': ['lines.length <= 100', 'lines.length < 100'],
  'skips lines that it cannot read': [
    "need(found !== null, 'not a line of a signature');",
    'if (found === null) continue;',
  ],
  'accepts any dash': ['/^— ([^\\p{White_Space}+]+)', '/^[-—] ([^\\p{White_Space}+]+)'],
  'accepts a plus sign in a name': ['/^— ([^\\p{White_Space}+]+)', '/^— ([^\\p{White_Space}]+)'],
  'accepts white space in a name': ['/^— ([^\\p{White_Space}+]+)', '/^— ([^+]+)'],
  'accepts an id alone': ['bytes.length > 4', 'true'],
  'looks at the name alone': ['|| !bytes.subarray(0, 4).equals(key.id)', ''],
  'looks at the id alone': ['found[1] !== key.name || ', ''],
  'skips signatures that do not hold': [
    'need(verify(null, Buffer.from(text), key.publicKey, bytes.subarray(4)), ',
    'if (!verify(null, Buffer.from(text), key.publicKey, bytes.subarray(4))) continue; need(true, ',
  ],
  'verifies the first signature only': ['isSigned = true;', 'isSigned = true; break;'],
  'accepts names of no Unicode text': ['note.isWellFormed()', 'true'],
  'needs no signature': ["need(isSigned, 'not signed with this key');", ''],
  'signs the empty line as well': ['Buffer.from(text), key', "Buffer.from(text + '\\n'), key"],
  'accepts zeros before a size': ['(0|[1-9][0-9]{0,15})', '([0-9]{1,16})'],
  'accepts any number for a size': ['(0|[1-9][0-9]{0,15})', '([^\\n]+)'],
  'accepts sizes that are not exact': ["need(Number.isSafeInteger(size), 'too large a size');", ''],
  'computes with 32 bits': [
    'while (k * 2 < size) k *= 2;',
    'while (k << 1 < size && k > 0) k <<= 1;',
  ],
  'accepts further lines': ['\\n$/.exec(signedText', '\\n/.exec(signedText'],
  'accepts the checkpoint of another log': ['need(name === key.name', 'need(true'],
  'accepts any epoch': ['found[1] === name || ', 'true || '],
  'accepts no epoch': ['found[1] === name || ', 'found[1] === name && '],
  'accepts upper case in an epoch': ['[.][0-9a-f]{32}$/', '[.][0-9a-f]{32}$/i'],
  'accepts an epoch of another length': ['[0-9a-f]{32}$/.test(epoch)', '[0-9a-f]+$/.test(epoch)'],
  'accepts any number of an epoch': ['^[1-9][0-9]{0,8}[.]', '^[0-9]+[.]'],
  'accepts two epochs': ["need(found[1].split('+').length < 3, 'not an origin');", ''],
  'ignores hashes that are left': [
    "if (size === 1) need(proof.length === 0, 'too many hashes');",
    '',
  ],
  'stops when the hashes are used up': [
    "need(proof.length > 0, 'too few hashes');",
    'if (proof.length === 0) return hash;',
  ],
  'begins at the root': ['[proof.slice(0, -1), proof.at(-1)]', '[proof.slice(1), proof[0]]'],
  'omits the prefix of leaves': ['sha256(Buffer.of(0), ', 'sha256('],
  'omits the prefix of nodes': ['sha256(Buffer.of(1), left, right)', 'sha256(left, right)'],
  'trims any white space': ['[ \\t\\r\\n]*$/s', '\\s*$/s'],
  'trims none': ['/^[ \\t\\r\\n]*([{].*[}])[ \\t\\r\\n]*$/s', '/^([{].*[}])$/s'],
  'accepts any format': ["format === 'store-orders/receipt/v1'", 'true'],
  'accepts any spelling of the receipt': ['JSON.stringify(parts) === text', 'true'],
  'accepts a position beyond the tree': ['position >= 1 && position <= size', 'position >= 1'],
  'accepts a position below 1': ['position >= 1 && position <= size', 'position <= size'],
  'accepts a position of any type': [
    'Number.isSafeInteger(position) && position >= 1',
    'position >= 1',
  ],
  'does not compare the root': ['.equals(root)', ''],
};

describe('A vector', async () => {
  const vectors = await receiptVectors();
  testMistakes<OfThePage>('verify-receipt.mjs', MISTAKES, (page) =>
    vectors.some(({ receipt, key, record }) => {
      return accepts(page, receipt, key) !== (record !== undefined);
    }),
  );
});

test('A receipt of another event or order is not accepted as a cancellation', async () => {
  const page = await verifierOfThePage();
  const [placed, cancelled] = await receiptVectors();
  if (placed === undefined || cancelled === undefined) expect.fail();
  const { receipt, key } = cancelled;
  expect(page.cancellation(receipt, key, '8')).toMatchObject({ by: 'Hs6IzlXByd' });
  expect(() => page.cancellation(receipt, key, '7')).toThrow('a receipt for order 8');
  expect(() => page.cancellation(placed.receipt, key, '9')).toThrow('OrderPlaced');
});

describe('The verifier in the page and the published one', () => {
  test('accept every receipt of logs of 1 to 20 events', async () => {
    const page = await verifierOfThePage();
    for (let size = 1; size <= 20; size += 1) {
      const log = new ProofLog(size);
      for (let position = 1; position <= size; position += 1) {
        expect(accepts(page, await log.receipt(position), log.vkey)).toBe(true);
      }
    }
  });

  test('refuse every forged receipt', async () => {
    const page = await verifierOfThePage();
    let [tried, seen] = [0, 0];
    const asked: Verifier = {
      ...verifier,
      verifyReceipt(receipt, vkey) {
        tried += 1;
        expect(accepts(page, receipt, vkey), receipt).toBe(false);
        return verifier.verifyReceipt(receipt, vkey);
      },
    };
    for await (const { kind, what, accepted } of forgeries()) {
      if (kind !== 'receipt') continue;
      seen += 1;
      if (isNightly || seen % TRIED_BY_DAY === 0) expect(accepted(asked), what).toBe(false);
    }
    expect(seen).toBeGreaterThan(8_000);
    expect(tried).toBeGreaterThan(isNightly ? 8_000 : 8_000 / TRIED_BY_DAY);
  });

  test('agree on any edit of a receipt and its key', async () => {
    const page = await verifierOfThePage();
    const log = new ProofLog(11);
    const genuine = await log.receipt(6);
    const other = await log.receipt(9);
    const piece = fc.oneof(
      fc.constantFrom(
        '',
        ' ',
        '\n',
        '\ufeff',
        '\0',
        '"',
        '\\',
        '\\ud800',
        '{',
        '}',
        ',',
        '-0',
        '1e0',
      ),
      fc.tuple(fc.nat(other.length), fc.nat(60)).map(([at, length]) => other.substr(at, length)),
      anyText({ maxLength: 5 }),
    );
    const edit = fc.tuple(fc.nat(genuine.length), fc.nat(8), piece);
    const edited = (text: string, edits: readonly (readonly [number, number, string])[]) =>
      edits.reduce((now, [at, cut, put]) => now.slice(0, at) + put + now.slice(at + cut), text);
    fc.assert(
      fc.property(
        fc.array(edit, { maxLength: 3 }),
        fc.array(edit, { maxLength: 1 }),
        (edits, ofKey) => {
          const receipt = edited(genuine, edits);
          const vkey = edited(log.vkey, ofKey);
          const verdict = verifier.verifyReceipt(receipt, vkey);
          expect(accepts(page, receipt, vkey), receipt).toBe(verdict.ok);
          if (verdict.ok) expect(receipt.trim()).toBe(genuine);
        },
      ),
      { numRuns: runs(5_000) },
    );
  });

  test('agree on any record and any checkpoint that the log has signed', async () => {
    const page = await verifierOfThePage();
    const inBrowsers = await browserVerifier();
    const piece = fc.oneof(
      fc.constantFrom(
        '',
        ' ',
        '\n',
        '"',
        '\\',
        '\\ud83d',
        '\\u0030',
        '{',
        '}',
        '[',
        ']',
        ',',
        ':',
        '+',
      ),
      fc.constantFrom(
        '0',
        '1',
        '-',
        '1e0',
        '.5',
        'null',
        'true',
        '\u2028',
        '\ufeff',
        '=',
        '—',
        '\u00a0',
      ),
      anyText({ maxLength: 3 }),
    );
    const edits = fc.array(fc.tuple(fc.nat(400), fc.nat(4), piece), { maxLength: 2 });
    const edited = (text: string, changes: readonly (readonly [number, number, string])[]) =>
      changes.reduce((now, [at, cut, put]) => {
        const from = at % (now.length + 1);
        return now.slice(0, from) + put + now.slice(from + cut);
      }, text);
    const { verifierKey: key, name } = signer;
    let accepted = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...records),
        edits,
        edits,
        edits,
        async (of, ofText, ofNote, ofAll) => {
          const record = edited(of.replace(/"position":\d/, '"position":1'), ofText);
          const root = Buffer.from(leafHash(record)).toString('base64');
          const text = edited(`${name}\n1\n${root}\n`, ofNote);
          fc.pre(text.endsWith('\n') && text.isWellFormed() && !/[^\P{Cc}\n]/u.test(text));
          const receipt = edited(receiptOf(record, [], signer.sign(text)), ofAll.slice(1));
          const verdict = verifier.verifyReceipt(receipt, key);
          expect(accepts(page, receipt, key), receipt).toBe(verdict.ok);
          expect(inBrowsers.verifyReceipt(receipt, key).ok, receipt).toBe(verdict.ok);
          const byClient = await client.verifyReceipt(receipt, key);
          const isNone = !byClient.ok && byClient.reason === 'the record is not that of an event';
          expect(byClient.ok, receipt).toBe(verdict.ok && !isNone);
          accepted += byClient.ok ? 1 : 0;
        },
      ),
      { numRuns: isNightly ? 20_000 : 1_000 },
    );
    expect(accepted).toBeGreaterThan(20);
  });
});
