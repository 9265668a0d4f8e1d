import { expect, it, test } from 'vitest';
import { checkPostgresStore } from '../../../src/infra/postgres/store-check.ts';
import { memoryFolder } from '../../support/folder.ts';
import { isNightly } from '../../support/nightly.ts';
import { Random } from '../../support/random.ts';
import { DAMAGES, damaged, damageStore } from './flips.ts';
import { stoppedPostgresStore } from './postgres-store.ts';
import { stoppedSqliteStore } from './sqlite-store.ts';

// Slices of what `npm run test:deep` does with thousands of others; a quarter as long by day.
const SHARE = isNightly ? 1 : 4;

test.each([
  { what: 'flipped bit', count: 120, refusedAbove: 30 },
  { what: 'misdirected page', count: 60, refusedAbove: 30 },
  { what: 'lost page', count: 60, refusedAbove: 5 },
] as const)('no $what of a stopped store on SQLite leads to a wrong answer', async (given) => {
  const random = new Random(18);
  const { what, count, refusedAbove } = given;
  await using store = await stoppedSqliteStore(memoryFolder());
  const draw = () => random.fraction();
  const { wrong, refused } = await damageStore(store, what, count / SHARE, draw);
  expect(wrong).toEqual([]);
  expect(refused).toBeGreaterThan(refusedAbove / SHARE);
});

test('nor does any damage of one on PostgreSQL', { timeout: 120_000 }, async () => {
  const random = new Random(18);
  await using store = await stoppedPostgresStore(memoryFolder());
  let refused = 0;
  for (const what of DAMAGES) {
    const result = await damageStore(store, what, 12 / SHARE, () => random.fraction());
    expect(result.wrong).toEqual([]);
    refused += result.refused;
  }
  expect(refused).toBeGreaterThan(4 / SHARE);
});

// A leaf without its newest entries, in front of the last one, made appends search for ever.
test('nor does a lost write of the index of events', { timeout: 120_000 }, async () => {
  let isChecked = true;
  await using store = await stoppedPostgresStore(memoryFolder(), async (url, pace) => {
    if (isChecked) await checkPostgresStore(url, pace);
  });
  const truth = await store.ask();
  const file = store.indexOfEvents;
  const pages = store.readOlder(file).length / store.pageBytes;
  let refused = 0;
  for (let page = 0; page < pages; page++) {
    const content = damaged(store, { what: 'lost page', file, page });
    const answers = await store.ask(file, content);
    if (answers.length > 0) {
      expect(answers).toEqual(truth);
      continue;
    }
    refused += 1;
    isChecked = false;
    expect(await store.ask(file, content)).toContain(undefined);
    isChecked = true;
  }
  expect(refused).toBeGreaterThan(0);
});

const SERVED_UNCHECKED = [
  { what: 'flipped bit', count: 40 },
  { what: 'misdirected page', count: 40 },
  { what: 'lost page', count: 50 },
] as const;

it.each(isNightly ? SERVED_UNCHECKED : SERVED_UNCHECKED.slice(0, 1))(
  'which is the work of the check: without it, a $what is served',
  async ({ what, count }) => {
    const random = new Random(18);
    await using store = await stoppedSqliteStore(memoryFolder(), async () => {});
    const { wrong } = await damageStore(store, what, count, () => random.fraction());
    expect(wrong.length).toBeGreaterThan(0);
  },
);
