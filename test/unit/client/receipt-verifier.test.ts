import fc from 'fast-check';
import { describe, expect, it, onTestFinished, test, vi } from 'vitest';
import * as published from '../../../src/app/audit/proofs/verifier.ts';
import { type Verdict, verifyReceipt } from '../../../src/client/receipt-verifier.ts';
import { anyText } from '../../support/any-text.ts';
import { forgeries, type Verifier } from '../../support/forgeries.ts';
import { isNightly, runs } from '../../support/nightly.ts';
import { ProofLog } from '../../support/proof-log.ts';
import { receiptVectors } from '../../support/receipt-vectors.ts';
import {
  anyRecord,
  receiptOfRecord,
  recordWith,
  SIGNED_RECORDS_KEY,
} from '../../support/signed-records.ts';
import { neighbourKey, smallOrderKeys } from '../../support/small-order-keys.ts';

/** So many characters that a time that grows with their square would never end. */
const LONG = isNightly ? 10_000_000 : 1_000_000;

/** One in so many forged receipts is tried. The published verifier refuses all of them every time. */
const EVERY = isNightly ? 1 : 101;

function refused(reason: string): Verdict {
  return { ok: false, reason };
}

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

  test('reads a text of any length, in linear time', async () => {
    const log = new ProofLog(2);
    const receipt = await log.receipt(1);
    const blanks = ' '.repeat(200_000);
    const whole = await verifyReceipt(`${blanks}${receipt}${blanks}`, log.vkey);
    expect(whole).toMatchObject({ ok: true, value: { position: 1 } });
    expect(await verifyReceipt(`${receipt}${blanks}x`, log.vkey)).toEqual(
      refused('the receipt is not JSON'),
    );
    expect(await verifyReceipt(blanks, log.vkey)).toEqual(refused('the receipt is not JSON'));
    const others = [
      `— ${'Ü'.repeat(LONG)} AAAAAAAA\n`,
      `— a ${'A'.repeat(LONG)}\n`,
      `— ${'a'.repeat(LONG)}\n`,
    ];
    for (const [index, line] of others.entries()) {
      const parts = JSON.parse(receipt) as { checkpoint: string };
      const longer = JSON.stringify({ ...parts, checkpoint: `${parts.checkpoint}${line}` });
      const verdict = await verifyReceipt(longer, log.vkey);
      if (index < 2) expect(verdict).toMatchObject({ ok: true, value: { position: 1 } });
      else expect(verdict).toEqual(refused('a line is not a signature'));
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
      anyText({ maxLength: 5 }),
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
      { numRuns: runs(1_000) },
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

  it('refuses each public key that is a point of small order, whatever a library would do', async () => {
    const receipt = await new ProofLog(1).receipt(1);
    for (const key of smallOrderKeys()) {
      expect(await verifyReceipt(receipt, key), key).toStrictEqual(
        refused('the public key is a point of small order'),
      );
    }
    expect(await verifyReceipt(receipt, neighbourKey())).toStrictEqual(
      refused('the note is not signed with the public key'),
    );
  });

  const genuine = new ProofLog(3);
  const blank = genuine.checkpoint().lastIndexOf('\n\n');
  const form = 'the receipt is not in the one form that it can have';
  const members = 'the receipt must have the members format,record,proof,checkpoint';
  const texts = 'a receipt has two texts, the record and the checkpoint, and a list of hashes';
  const base64 = 'a text is not base64';
  const unsigned = 'the note has no signatures';

  it.each<[string, object, string]>([
    [
      'another format',
      { format: 'store-orders/receipt/v2' },
      'the format is not store-orders/receipt/v1',
    ],
    ['another member', { name: '' }, members],
    ['a record that is no text', { record: 5 }, texts],
    ['a checkpoint that is no text', { checkpoint: 5 }, texts],
    ['a proof that is no list', { proof: 5 }, texts],
    ['a record that is no JSON', { record: '{' }, 'the record is not JSON'],
    ['a hash that is no text', { proof: [5] }, base64],
    ['a hash in loose base64', { proof: [`${'A'.repeat(42)}B=`] }, base64],
    ['a hash for URLs', { proof: [`${'_'.repeat(42)}8=`] }, base64],
    [
      'a hash of 31 bytes',
      { proof: [Buffer.alloc(31).toString('base64')] },
      'a hash does not have 32 bytes',
    ],
    ['a note without an empty line', { checkpoint: 'log\n' }, unsigned],
    [
      'a note without its last line feed',
      { checkpoint: genuine.checkpoint().slice(0, -1) },
      unsigned,
    ],
    [
      'an empty text that is not signed',
      { checkpoint: '\n\n— a AAAA\n' },
      'a signature is shorter than the id of its key',
    ],
    [
      'no signature',
      { checkpoint: genuine.checkpoint().slice(0, blank + 2) },
      'a line is not a signature',
    ],
    [
      'an id without a signature',
      { checkpoint: `${genuine.checkpoint()}— other AAAAAA==\n` },
      'a signature is shorter than the id of its key',
    ],
  ])('says what is wrong with %s', async (_, change, reason) => {
    const receipt = JSON.parse(await genuine.receipt(2)) as object;
    const changed = JSON.stringify({ ...receipt, ...change });
    expect(await verifyReceipt(changed, genuine.vkey)).toStrictEqual(refused(reason));
  });

  it('says what is wrong with the text of a receipt', async () => {
    const receipt = await genuine.receipt(2);
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    const wrong: Readonly<Record<string, string>> = {
      '': 'the receipt is not JSON',
      null: members,
      [receipt.replace('{', '{ ')]: form,
      [receipt.replace(/"proof":\[.*?\]/, `"proof":${deep}`)]: 'the JSON is nested too deeply',
    };
    for (const [text, reason] of Object.entries(wrong)) {
      expect(await verifyReceipt(text, genuine.vkey)).toStrictEqual(refused(reason));
    }
  });

  it('passes over a signature of one byte by another key', async () => {
    const checkpoint = `${genuine.checkpoint()}— other AAAAAAA=\n`;
    const receipt = JSON.stringify({ ...JSON.parse(await genuine.receipt(2)), checkpoint });
    expect(await verifyReceipt(receipt, genuine.vkey)).toMatchObject({ ok: true });
  });

  it('rejects where there is no Web Cryptography, rather than to refuse a receipt', async () => {
    const receipt = await genuine.receipt(2);
    vi.stubGlobal('crypto', {});
    onTestFinished(() => void vi.unstubAllGlobals());
    await expect(verifyReceipt(receipt, genuine.vkey)).rejects.toBeInstanceOf(TypeError);
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
