import { expect, it, test } from 'vitest';
import { memoryFolder } from '../../support/folder.ts';
import { Random } from '../../support/random.ts';
import { DAMAGES, damageStore } from './flips.ts';
import { stoppedPostgresStore } from './postgres-store.ts';
import { stoppedSqliteStore } from './sqlite-store.ts';

// Slices of what `npm run test:deep` does with thousands of others.
test.each([
  { what: 'flipped bit', count: 120, refusedAbove: 30 },
  { what: 'misdirected page', count: 60, refusedAbove: 30 },
  { what: 'lost page', count: 60, refusedAbove: 5 },
] as const)('no $what of a stopped store on SQLite leads to a wrong answer', async (given) => {
  const random = new Random(18);
  const { what, count, refusedAbove } = given;
  await using store = await stoppedSqliteStore(memoryFolder());
  const { wrong, refused } = await damageStore(store, what, count, () => random.fraction());
  expect(wrong).toEqual([]);
  expect(refused).toBeGreaterThan(refusedAbove);
});

test('nor does any damage of one on PostgreSQL', { timeout: 120_000 }, async () => {
  const random = new Random(18);
  await using store = await stoppedPostgresStore(memoryFolder());
  for (const what of DAMAGES) {
    const { wrong, refused } = await damageStore(store, what, 15, () => random.fraction());
    expect(wrong).toEqual([]);
    expect(refused).toBeGreaterThan(2);
  }
});

it.each([
  { what: 'flipped bit', count: 40 },
  { what: 'misdirected page', count: 40 },
  { what: 'lost page', count: 150 },
] as const)(
  'which is the work of the check: without it, a $what is served',
  async ({ what, count }) => {
    const random = new Random(18);
    await using store = await stoppedSqliteStore(memoryFolder(), async () => {});
    const { wrong } = await damageStore(store, what, count, () => random.fraction());
    expect(wrong.length).toBeGreaterThan(0);
  },
);
