import { describe, expect, test } from 'vitest';
import { kitFor } from '../kit/aggregate/kit.ts';
import { LOANS } from '../kit/starter/loans.ts';
import { PREFIX_READER, STORE_FAULTS, storeWith } from './event-stores.ts';

/** The kit for any aggregate finds each fault by runs without options, whatever the seed. */

const loans = kitFor(LOANS);
const SEEDS = [1, 2, 3];

describe('an event store is found out in which', () => {
  test.each(Object.entries(STORE_FAULTS))('%s', async (_, fault) => {
    for (const seed of SEEDS) {
      const open = async () => storeWith(fault);
      // To shrink what takes many appends takes longer than to find it.
      const { counterexample } = await loans.checkEventStore(open, { seed, shrinkMs: 100 });
      expect(counterexample, `seed ${seed}`).toBeDefined();
    }
  });
});

test('the same store without a fault holds, and so does one that answers a repeated conflict with a conflict', async () => {
  for (const seed of SEEDS) {
    await loans.assertEventStore(async () => storeWith({}), { seed });
    const kept = storeWith.bind(undefined, { kept: (answer) => answer });
    await loans.assertEventStore(async () => kept(), { seed });
  }
});

test('programs of event stores have the most operations that are wanted', async () => {
  const open = async () => storeWith({});
  const { steps } = await loans.assertEventStore(open, { seed: 1, runs: 50, maxSteps: 2 });
  expect(steps).toBeLessThanOrEqual(100);
  const long = await loans.assertEventStore(open, { seed: 1, runs: 5, maxSteps: 100 });
  expect(long.steps).toBeGreaterThan(100);
});

test(`an application is found out in which ${PREFIX_READER.name}`, async () => {
  for (const seed of SEEDS) {
    expect((await loans.check(PREFIX_READER, { seed })).counterexample).toBeDefined();
    expect((await loans.checkConcurrently(PREFIX_READER, { seed })).violation).toBeDefined();
  }
});
