import { readFileSync, statSync } from 'node:fs';
import { expect, test } from 'vitest';
import {
  verifyCheckpoint,
  verifyConsistency,
  verifyInclusion,
  verifyReceipt,
} from '../../../src/app/audit/proofs/verifier.ts';
import { Place } from '../../support/command-line.ts';

const ORDERS = `id,petId,quantity,shipDate,status
1,7,1,,pending
2,7,1,2026-01-31T12:00:00Z,shipped
3,7,1,,cancelled
`;

async function given(): Promise<Place> {
  const place = new Place();
  await place.run('import', place.write('orders.csv', ORDERS));
  return place;
}

/** What a command prints, if all is well. */
async function said(place: Place, ...args: string[]): Promise<string> {
  const { code, out, err } = await place.run('audit', ...args);
  expect([code, err]).toEqual([0, '']);
  return out;
}

function hashes(proof: readonly string[]): Buffer[] {
  return proof.map((hash) => Buffer.from(hash, 'base64'));
}

test('a checkpoint is verified with the public key, and the proofs match it', async () => {
  const place = await given();
  const key = (await said(place, 'public-key')).trim();
  const head = await signed(place, key);
  expect(head.size).toBe(5);
  const { record } = JSON.parse(await said(place, 'receipt', '--position', '4'));
  const { proof, ...about } = JSON.parse(await said(place, 'prove', '4'));
  expect(about).toEqual({ position: 4, size: 5 });
  expect(verifyInclusion(record, 3, head, hashes(proof)).ok).toBe(true);
  await place.run('import', place.write('more.csv', 'id,petId,quantity\n4,7,1\n5,7,1\n'));
  const newer = await signed(place, key);
  const grown = JSON.parse(await said(place, 'prove', '--consistency', '5'));
  expect(grown).toMatchObject({ from: 5, to: 7 });
  expect(verifyConsistency(head, newer, hashes(grown.proof)).ok).toBe(true);
  expect(JSON.parse(await said(place, 'prove', '--consistency', '2', '--size', '5'))).toMatchObject(
    {
      from: 2,
      to: 5,
    },
  );
});

async function signed(place: Place, key: string) {
  const verdict = verifyCheckpoint(await said(place, 'checkpoint'), key);
  return verdict.ok ? verdict.value : expect.fail(verdict.reason);
}

test('a receipt of a cancellation holds by the public key alone', async () => {
  const place = await given();
  const key = (await said(place, 'public-key')).trim();
  const verdict = verifyReceipt(await said(place, 'receipt', '3'), key);
  if (!verdict.ok) expect.fail(verdict.reason);
  expect(JSON.parse(verdict.value.record)).toMatchObject({
    type: 'OrderCancelled',
    data: { orderId: '3' },
  });
});

test('the key is made once, for its owner alone', async () => {
  const place = await given();
  const key = await said(place, 'public-key');
  expect(await said(place, 'public-key')).toBe(key);
  expect(statSync(place.file('store.db-signing-key')).mode & 0o777).toBe(0o600);
});

test('results are written to a new file', async () => {
  const place = await given();
  const file = place.file('checkpoint.txt');
  const ran = await place.run('audit', 'checkpoint', '--out', file);
  expect(ran).toEqual({ code: 0, out: '', err: `Wrote ${file}.\n` });
  expect(readFileSync(file, 'utf8')).toBe(await said(place, 'checkpoint'));
  const again = await place.run('audit', 'receipt', '3', '--out', file);
  expect(again).toEqual({
    code: 1,
    out: '',
    err: `store-orders: ${file} is there already and was left as it is.\n`,
  });
  const nowhere = place.file('nowhere/receipt');
  const failed = await place.run('audit', 'receipt', '3', '--out', nowhere);
  expect(failed.code).toBe(1);
  expect(failed.err).toContain(`${nowhere} cannot be written: ENOENT`);
});

test.each([
  [['receipt', '1'], 'The order 1 is not cancelled.'],
  [['receipt', '2'], 'The order 2 is not cancelled.'],
  [['receipt', '4711'], 'There is no order 4711.'],
  [
    ['receipt', '--position', '6'],
    'Nothing was proven: the log of size 5 has no event at position 6.',
  ],
  [['prove', '0'], 'Nothing was proven: the log of size 5 has no event at position 0.'],
  [['prove', '1', '--size', '6'], 'Nothing was proven: the log has the size 5, not yet 6.'],
  [
    ['prove', '--consistency', '6'],
    'Nothing was proven: the log of size 5 does not begin with one of 6.',
  ],
])('%j is refused in plain words', async (args, message) => {
  const { code, out, err } = await (await given()).run('audit', ...args);
  expect({ code, out, err }).toEqual({ code: 1, out: '', err: `store-orders: ${message}\n` });
});

test.each([
  ['prove'],
  ['prove', '1', '--consistency', '1'],
  ['prove', '-1'],
  ['prove', '1.5'],
  ['receipt'],
  ['receipt', '1', '--position', '1'],
  ['receipt', '01'],
])('audit %s %s %s is a usage error', async (...args) => {
  expect(await new Place().run('audit', ...args)).toMatchObject({ code: 2, out: '' });
});
