import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import * as published from '../../../src/app/audit/verifier.ts';
import { verifyReceipt } from '../../../src/client/receipt-verifier.ts';
import { forgeries, type Verifier } from '../../support/forgeries.ts';
import { isNightly } from '../../support/nightly.ts';
import { ProofLog } from '../../support/proof-log.ts';
import { receiptVectors } from '../../support/receipt-vectors.ts';
import {
  anyRecord,
  receiptOfRecord,
  recordWith,
  SIGNED_RECORDS_KEY,
} from '../../support/signed-records.ts';

/** One in so many forged receipts is tried. The published verifier refuses all of them every time. */
const EVERY = isNightly ? 1 : 25;

describe('The verifier of the client', () => {
  test('accepts exactly the genuine ones of the published vectors', async () => {
    for (const { what, receipt, key, record } of await receiptVectors()) {
      const verdict = await verifyReceipt(receipt, key);
      expect(verdict.ok ? verdict.value.record : undefined, what).toBe(record);
    }
  });

  test('accepts every receipt of logs of 1 to 20 events', async () => {
    for (let size = 1; size <= 20; size += 1) {
      const log = new ProofLog(size);
      for (let position = 1; position <= size; position += 1) {
        const verdict = await verifyReceipt(await log.receipt(position), log.vkey);
        expect(verdict).toMatchObject({ ok: true, value: { position } });
      }
    }
  });

  test('refuses forged receipts, at night all of them', async () => {
    const tried: [receipt: string, key: string, what: string][] = [];
    let now = '';
    const asked: Verifier = {
      ...published,
      verifyReceipt(receipt, vkey) {
        tried.push([receipt, vkey, now]);
        return published.verifyReceipt(receipt, vkey);
      },
    };
    for await (const { kind, what, accepted } of forgeries()) {
      now = what;
      if (kind === 'receipt') accepted(asked);
    }
    expect(tried.length).toBeGreaterThan(8_000);
    const accepted: string[] = [];
    for (const [receipt, key, what] of tried.filter((_, index) => index % EVERY === 0)) {
      if ((await verifyReceipt(receipt, key)).ok) accepted.push(what);
    }
    expect(accepted).toStrictEqual([]);
  });

  test('agrees with the published one on any edit of a receipt and its key', async () => {
    const log = new ProofLog(11);
    const [genuine, other] = [await log.receipt(6), await log.receipt(9)];
    const piece = fc.oneof(
      fc.constantFrom('', ' ', '\n', '\ufeff', '\0', '"', '\\', '\\ud800', '{', '}', ',', '-0'),
      fc.tuple(fc.nat(other.length), fc.nat(60)).map(([at, length]) => other.substr(at, length)),
      fc.string({ unit: 'binary', maxLength: 5 }),
    );
    const edits = (maxLength: number) => {
      return fc.array(fc.tuple(fc.nat(genuine.length), fc.nat(8), piece), { maxLength });
    };
    const edited = (text: string, changes: readonly (readonly [number, number, string])[]) =>
      changes.reduce((now, [at, cut, put]) => now.slice(0, at) + put + now.slice(at + cut), text);
    await fc.assert(
      fc.asyncProperty(edits(3), edits(1), async (ofReceipt, ofKey) => {
        const [receipt, key] = [edited(genuine, ofReceipt), edited(log.vkey, ofKey)];
        const verdict = await verifyReceipt(receipt, key);
        expect(verdict.ok, receipt).toBe(published.verifyReceipt(receipt, key).ok);
      }),
      { numRuns: 1_000 },
    );
  });

  it('takes the receipt of another event or order for no cancellation', async () => {
    const [placed, cancelled] = await receiptVectors();
    if (placed === undefined || cancelled === undefined) expect.fail();
    const { receipt, key } = cancelled;
    expect(await verifyReceipt(receipt, key, '8')).toMatchObject({
      value: { type: 'OrderCancelled', data: { orderId: '8' }, metadata: { by: 'Hs6IzlXByd' } },
    });
    expect(await verifyReceipt(receipt, key, '7')).toStrictEqual({
      ok: false,
      reason: 'the receipt is of order 8',
    });
    expect(await verifyReceipt(placed.receipt, key, '9')).toStrictEqual({
      ok: false,
      reason: 'the receipt is of an OrderPlaced, not a cancellation',
    });
  });

  it('returns an event or a reason, whatever record the log has signed', async () => {
    await fc.assert(
      fc.asyncProperty(anyRecord, async (record) => {
        const receipt = receiptOfRecord(record);
        expect(published.verifyReceipt(receipt, SIGNED_RECORDS_KEY)).toMatchObject({ ok: true });
        for (const order of [undefined, '8']) {
          const verdict = await verifyReceipt(receipt, SIGNED_RECORDS_KEY, order);
          if (!verdict.ok) continue;
          expect(verdict.value).toMatchObject({
            type: expect.any(String),
            version: expect.any(Number),
            data: { orderId: expect.any(String) },
            metadata: {
              at: expect.any(String),
              by: expect.any(String),
              commandId: expect.any(String),
            },
          });
        }
      }),
    );
    const none = receiptOfRecord(recordWith({ data: null }));
    expect(await verifyReceipt(none, SIGNED_RECORDS_KEY, '8')).toStrictEqual({
      ok: false,
      reason: 'the record is not that of an event',
    });
    const genuine = receiptOfRecord(recordWith({}));
    expect(await verifyReceipt(genuine, SIGNED_RECORDS_KEY, '8')).toMatchObject({ ok: true });
  });
});
