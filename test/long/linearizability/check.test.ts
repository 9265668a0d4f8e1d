import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import type { History } from '../../kit/history/history.ts';
import { check } from '../../kit/linearizability/check.ts';
import { describeViolation as tell } from '../../kit/linearizability/timeline.ts';
import { isLinearizable } from './brute-force.ts';
import { corrupted } from './corruption.ts';
import { FAULTS, type Simulation, simulate } from './simulated-store.ts';

const simulations = fc.record(
  {
    seed: fc.nat(),
    clients: fc.integer({ min: 1, max: 6 }),
    operations: fc.integer({ min: 1, max: 60 }),
    lost: fc.constantFrom(0, 10, 40),
    chosenIds: fc.constantFrom(0, 50, 100),
    tellsStatus: fc.boolean(),
    orders: fc.integer({ min: 1, max: 6 }),
  },
  { noNullPrototype: true },
);

function told(history: History): string {
  return check(history).map(tell).join('\n\n');
}

test('What a store does one after another is accepted, however the requests overlap', () => {
  fc.assert(
    fc.property(simulations, (simulation) => {
      expect(told(simulate(simulation))).toBe('');
    }),
    { numRuns: 500 },
  );
});

describe.each(FAULTS)('A store in which %s', (fault) => {
  it('is found out again and again', () => {
    let refused = 0;
    for (let seed = 0; seed < 50; seed++) {
      const tellsStatus = seed % 2 === 0;
      const simulation = { seed, clients: 5, operations: 120, orders: 8, tellsStatus, fault };
      const violations = check(simulate(simulation));
      if (violations.length > 0) refused += 1;
      for (const violation of violations) expect(tell(violation)).toMatch(/^Broken: /);
    }
    expect(refused).toBeGreaterThan(10);
  });
});

const tiny: fc.Arbitrary<Simulation> = fc.record(
  {
    seed: fc.nat(),
    clients: fc.integer({ min: 2, max: 4 }),
    operations: fc.integer({ min: 2, max: 7 }),
    lost: fc.constantFrom(0, 20, 40),
    chosenIds: fc.constantFrom(0, 50, 100),
    tellsStatus: fc.boolean(),
    orders: fc.integer({ min: 1, max: 2 }),
    fault: fc.option(fc.constantFrom(...FAULTS), { nil: undefined }),
  },
  { noNullPrototype: true },
) as fc.Arbitrary<Simulation>;

test('Of tiny histories, right or wrong, exactly those are refused that no order explains', () => {
  const seen = { refused: 0, accepted: 0 };
  fc.assert(
    fc.property(tiny, fc.integer({ min: 0, max: 3 }), (simulation, corruptions) => {
      const history = corrupted(simulate(simulation), corruptions, simulation.seed);
      const isRight = isLinearizable(history);
      seen[isRight ? 'accepted' : 'refused'] += 1;
      expect(told(history) === '').toBe(isRight);
    }),
    { numRuns: 10_000 },
  );
  // It says little when one of the two hardly ever happens.
  expect(Math.min(seen.accepted, seen.refused)).toBeGreaterThan(500);
});
