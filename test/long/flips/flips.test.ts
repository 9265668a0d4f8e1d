import { join } from 'node:path';
import { expect, it } from 'vitest';
import { memoryFolder } from '../../support/folder.ts';
import { Random } from '../../support/random.ts';
import { flipBits } from './flips.ts';
import { answersOf } from './store.ts';

// A slice of what `npm run test:deep` does with thousands of others.
it('no flipped bit of a stopped store leads to a wrong answer', async () => {
  const random = new Random(18);
  const { wrong, refused } = await flipBits(
    120,
    () => random.fraction(),
    join(memoryFolder(), 'o'),
  );
  expect(wrong).toEqual([]);
  expect(refused).toBeGreaterThan(30);
});

it('which is the work of the check: without it, wrong answers are found', async () => {
  const random = new Random(18);
  const unchecked = (file: string) => answersOf(file, async () => {});
  const folder = join(memoryFolder(), 'o');
  const { wrong } = await flipBits(40, () => random.fraction(), folder, unchecked);
  expect(wrong.length).toBeGreaterThan(0);
});
