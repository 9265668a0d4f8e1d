import { join } from 'node:path';
import { expect, it, test } from 'vitest';
import { memoryFolder } from '../../support/folder.ts';
import { Random } from '../../support/random.ts';
import { damageStores } from './flips.ts';
import { answersOf } from './store.ts';

// A slice of what `npm run test:deep` does with thousands of others.
test.each([
  { what: 'flipped bit', count: 120, refusedAbove: 30 },
  { what: 'misdirected page', count: 60, refusedAbove: 30 },
  { what: 'lost page', count: 60, refusedAbove: 5 },
] as const)('no $what of a stopped store leads to a wrong answer', async (given) => {
  const random = new Random(18);
  const folder = join(memoryFolder(), 'o');
  const { what, count, refusedAbove } = given;
  const { wrong, refused } = await damageStores(what, count, () => random.fraction(), folder);
  expect(wrong).toEqual([]);
  expect(refused).toBeGreaterThan(refusedAbove);
});

it.each([
  { what: 'flipped bit', count: 40 },
  { what: 'misdirected page', count: 40 },
  { what: 'lost page', count: 150 },
] as const)(
  'which is the work of the check: without it, a $what is served',
  async ({ what, count }) => {
    const random = new Random(18);
    const unchecked = (file: string) => answersOf(file, async () => {});
    const folder = join(memoryFolder(), 'o');
    const { wrong } = await damageStores(what, count, () => random.fraction(), folder, unchecked);
    expect(wrong.length).toBeGreaterThan(0);
  },
);
