import { join } from 'node:path';
import { expect, it, test } from 'vitest';
import { memoryFolder } from '../../support/folder.ts';
import { Random } from '../../support/random.ts';
import { DAMAGES, damageStores } from './flips.ts';
import { answersOf } from './store.ts';

// A slice of what `npm run test:deep` does with thousands of others.
test.each([
  { what: 'flipped bit', count: 120, refusedAtLeast: 30 },
  { what: 'misdirected page', count: 60, refusedAtLeast: 30 },
  { what: 'lost page', count: 60, refusedAtLeast: 5 },
] as const)('no $what of a stopped store leads to a wrong answer', async (given) => {
  const random = new Random(18);
  const folder = join(memoryFolder(), 'o');
  const { what, count, refusedAtLeast } = given;
  const { wrong, refused } = await damageStores(what, count, () => random.fraction(), folder);
  expect(wrong).toEqual([]);
  expect(refused).toBeGreaterThanOrEqual(refusedAtLeast);
});

it.each(DAMAGES)('which is the work of the check: without it, a %s is served', async (what) => {
  const random = new Random(18);
  const unchecked = (file: string) => answersOf(file, async () => {});
  const folder = join(memoryFolder(), 'o');
  const { wrong } = await damageStores(what, 60, () => random.fraction(), folder, unchecked);
  expect(wrong.length).toBeGreaterThan(0);
});
