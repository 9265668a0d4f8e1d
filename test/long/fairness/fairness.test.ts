import { afterAll, expect, test } from 'vitest';
import { cleanUp } from '../../bench/processes.ts';
import { changedProduct, type Replacement } from '../../bench/servers.ts';
import { isNightly } from '../../support/nightly.ts';
import { BRIEF, type Load, roundsOf, runFairness } from './fairness.ts';

interface Mutant {
  mutant: string;
  change: Replacement;
  words: RegExp;
}

/** Changes that break a promise. One of them is planted in minutes, all of them at night. */
const MUTANTS: readonly Mutant[] = [
  {
    mutant: 'a limiter that refuses nobody',
    change: ['app/keys/key-limiter.js', '!quota.isTaken', 'false'],
    words: /^ten times the limit: \d+ of the other were accepted, not \d+ to \d+$/,
  },
  {
    mutant: 'a token for each refusal',
    change: [
      'app/token-buckets.js',
      'isThere ? Math.max(0, tokens - count) : tokens',
      'tokens - count',
    ],
    words: /^ten times the limit: \d+ of the other were accepted, not \d+ to \d+$/,
  },
];

/** By day not without other requests: its latencies are not compared. */
const BY_DAY: Partial<Load> = isNightly ? {} : { situations: ['beyond', 'unauthorized'] };

afterAll(cleanUp);

test('a key that sends ten times its limit gets its limit, and another key everything', async () => {
  const outcome = await runFairness({ ...BRIEF, ...BY_DAY });
  expect(outcome.broken, JSON.stringify(outcome)).toStrictEqual([]);
  const [beyond] = roundsOf(outcome.rounds, 'beyond');
  expect(beyond?.other?.refused.count).toBeGreaterThan(0);
});

test('each mutant can be planted, also those that are only at night', () => {
  for (const { change } of MUTANTS) changedProduct(change);
});

test.runIf(isNightly).each(MUTANTS)('it is noticed: $mutant', async ({ change, words }) => {
  const situations = ['beyond'] as const;
  const { broken } = await runFairness({ ...BRIEF, situations, root: changedProduct(change) });
  expect(broken).toContainEqual(expect.stringMatching(words));
});
