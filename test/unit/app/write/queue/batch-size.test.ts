import { expect, it } from 'vitest';
import { batchSize } from '../../../../../src/app/write/queue/batch-size.ts';

it.each([
  // Commands that wait, and that are about to be answered; utilization; the size of the batch.
  { load: 'nothing', waiting: 0, answered: 0, utilization: 1, size: [0, false] },
  { load: 'few commands', waiting: 15, answered: 0, utilization: 1, size: [15, false] },
  { load: 'just enough to halve', waiting: 16, answered: 0, utilization: 1, size: [8, true] },
  { load: 'an odd number', waiting: 17, answered: 0, utilization: 1, size: [9, true] },
  { load: 'half of them waiting', waiting: 8, answered: 8, utilization: 1, size: [8, true] },
  { load: 'fewer than half waiting', waiting: 2, answered: 62, utilization: 1, size: [32, true] },
  { load: 'none waiting', waiting: 0, answered: 64, utilization: 1, size: [32, true] },
  { load: 'a thread just busy', waiting: 64, answered: 0, utilization: 0.51, size: [32, true] },
  { load: 'a busy log', waiting: 64, answered: 0, utilization: 0.5, size: [64, false] },
  { load: 'an idle thread', waiting: 64, answered: 32, utilization: 0, size: [96, false] },
  { load: 'the largest halves', waiting: 2_048, answered: 0, utilization: 1, size: [1_024, true] },
  { load: 'halves too large', waiting: 2_049, answered: 0, utilization: 1, size: [1_024, true] },
  { load: 'the largest whole', waiting: 1_024, answered: 0, utilization: 0, size: [1_024, false] },
  { load: 'a whole too large', waiting: 1_025, answered: 0, utilization: 0, size: [1_024, false] },
])('$load: $size', ({ waiting, answered, utilization, size }) => {
  const [maxCommands, isHalf] = size;
  const load = { waiting, answered, utilization };
  expect(batchSize({ ...load, isContended: false })).toStrictEqual({ maxCommands, isHalf });
  // Behind the locks of other writers, the log is what there is too little of.
  expect(batchSize({ ...load, isContended: true })).toStrictEqual({
    maxCommands: Math.min(1_024, waiting + answered),
    isHalf: false,
  });
});
