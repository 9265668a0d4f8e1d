import { describe, expect, test } from 'vitest';
import { decider } from '../support/targets.ts';
import { assertHolds } from './check.ts';
import type { Caller } from './history/http-caller.ts';
import { Recorder } from './history/recorder.ts';
import { runWorkload } from './history/workload.ts';
import { concurrentPrograms } from './programs.ts';

/** Options with which nothing would be checked: an assertion would pass, whatever the target does. */

describe('An assertion that would check nothing', () => {
  test.each([
    { runs: 0 },
    { runs: Number.NaN },
    { together: 0 },
    { together: 0.5 },
    { maxSteps: 0 },
    { maxOrders: -1 },
    { does: [] },
    { programs: [] },
  ])('is refused for its options: %j', async (options) => {
    await expect(assertHolds(decider, options)).rejects.toThrow(RangeError);
  });

  test('fails if the target does none of the steps', async () => {
    const does = ['restart'] as const;
    await expect(assertHolds(decider, { does })).rejects.toThrow('no step was run');
  });

  test('is refused for programs of no clients, and for a workload of none', async () => {
    expect(() => concurrentPrograms({ maxClients: 0 })).toThrow(RangeError);
    const none = { seed: 1, clients: 0, operations: 10, cuts: 0 };
    const run = runWorkload(none, {} as Caller, new Recorder());
    await expect(run).rejects.toThrow('clients must be a whole number from 1, and is 0');
  });
});
