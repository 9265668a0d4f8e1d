import { expect, it } from 'vitest';
import { BatchHistograms } from '../../../../src/app/write/batch-histograms.ts';

it('counts a batch by its size and by its duration in seconds', () => {
  const batches = new BatchHistograms();
  batches.observe(3, performance.now() - 20_000);
  const [commands, seconds] = [batches.commands.read(), batches.seconds.read()];
  expect([commands.sum, commands.cumulative]).toEqual([3, [0, 1, 1, 1, 1, 1, 1]]);
  expect(seconds.sum).toBeGreaterThanOrEqual(20);
  expect(seconds.sum).toBeLessThan(30);
  expect(seconds.cumulative.slice(-2)).toEqual([0, 1]);
});
