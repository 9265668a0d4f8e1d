import { expect, test } from 'vitest';
import { temporaryFolder } from '../../support/folder.ts';
import { isNightly } from '../../support/nightly.ts';
import { build, MUTANTS } from './mutants.ts';
import { runRound } from './round.ts';

/** A few hundred requests, of which every one is told the truth. `npm run test:chaos` makes more. */
const BRIEF = { operations: 1_200, clients: 24 };

test('every response was true, whatever is killed', async () => {
  const outcome = await runRound({ ...BRIEF, seed: 1 });
  expect(outcome.broken).toStrictEqual([]);
  expect(outcome.history.length).toBeGreaterThan(1_000);
  expect(outcome.instancesKilled + outcome.databaseKilled + outcome.failovers).toBeGreaterThan(0);
});

test.runIf(isNightly)(
  'the same holds for a single instance, and clients that do not retry',
  async () => {
    const outcome = await runRound({ ...BRIEF, seed: 2, instances: 1, withKeys: false });
    expect(outcome.broken).toStrictEqual([]);
    expect(outcome.history.length).toBeGreaterThan(1_000);
    expect(outcome.instancesKilled + outcome.databaseKilled + outcome.failovers).toBeGreaterThan(0);
  },
);

test('each mutant can be planted, also those that are only at night', () => {
  for (const mutant of MUTANTS) build(mutant, temporaryFolder());
});

// Each may take four rounds.
test.runIf(isNightly).each(MUTANTS)('it is noticed when $name', async (mutant) => {
  const program = build(mutant, temporaryFolder());
  const weights = { killInstance: 0, endSessions: 0, crash: 1, failOver: 0 };
  // The loss at a crash depends on the moment: one of a few rounds shows it.
  for (let seed = 1; seed <= 4; seed++) {
    const round = { ...BRIEF, seed, program, weights, withStandby: false };
    if ((await runRound(round)).broken.length > 0) return;
  }
  expect.fail('nobody has noticed');
});
