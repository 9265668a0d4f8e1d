import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import * as verifier from '../../src/app/audit/verifier.ts';
import { forgeries, type Verifier } from '../support/forgeries.ts';
import { ProofLog } from '../support/proof-log.ts';
import { receiptVectors } from '../support/receipt-vectors.ts';
import { blocksOf } from './markdown.ts';

/**
 * docs/receipts.md contains a verifier that was written from the specification alone and imports no
 * code of the project. It and the published verifier must agree on every receipt, genuine or forged.
 */

/** The verifier in the page: returns the event that a receipt proves, or throws. */
interface OfThePage {
  verifyReceipt(receipt: string, vkey: string): unknown;
  cancellation(receipt: string, vkey: string, orderId: string): unknown;
}

const SCRIPT = /^cat > verify-receipt\.mjs <<'END'\n(.*?)^END$/ms;

async function verifierOfThePage(): Promise<OfThePage> {
  const blocks = blocksOf('docs/receipts.md');
  const [, script] = blocks.map(({ text }) => SCRIPT.exec(text)).find((found) => found) ?? [];
  if (script === undefined) throw new Error('the page has no verifier');
  expect([...script.matchAll(/ from '(.*)'/g)].map(([, name]) => name)).toEqual([
    'node:crypto',
    'node:fs',
  ]);
  const folder = mkdtempSync(join(tmpdir(), 'store-orders-receipts-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'verify-receipt.mjs');
  writeFileSync(file, script);
  return (await import(pathToFileURL(file).href)) as OfThePage;
}

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
    let tried = 0;
    const asked: Verifier = {
      ...verifier,
      verifyReceipt(receipt, vkey) {
        tried += 1;
        expect(accepts(page, receipt, vkey), receipt).toBe(false);
        return verifier.verifyReceipt(receipt, vkey);
      },
    };
    for await (const { kind, what, accepted } of forgeries()) {
      if (kind === 'receipt') expect(accepted(asked), what).toBe(false);
    }
    expect(tried).toBeGreaterThan(8_000);
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
      fc.string({ unit: 'binary', maxLength: 5 }),
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
      { numRuns: 5_000 },
    );
  });
});
