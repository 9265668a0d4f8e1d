import { afterAll, expect, test } from 'vitest';
import { isInstalled } from '../../bench/load.ts';
import { cleanUp } from '../../bench/processes.ts';
import { type Load, productOfSmallBatches, runOverload } from './overload.ts';

afterAll(cleanUp);

/**
 * A log that records about 300 commands a second, so that the queue is what is short of time, and not a
 * machine that runs other tests. 1,000 requests in a queue that refuses none take 3 seconds.
 */
const BATCH = 64;
const BRIEF: Load = {
  place: 'slow disk',
  flushMs: 200,
  orders: 20_000,
  fewConnections: 2 * BATCH,
  connections: 1_000,
  seconds: 5,
  limitMs: 2_000,
  // The first batch and the last are a tenth of so short a time.
  minGoodput: 0.6,
};
const noCompiler = isInstalled('cc') || isInstalled('strace') ? undefined : 'no cc, no strace';

test.skipIf(noCompiler)('ten times the capacity is served in time', async () => {
  const outcome = await runOverload({ ...BRIEF, root: productOfSmallBatches(BATCH) });
  expect(outcome.broken, JSON.stringify(outcome)).toStrictEqual([]);
  expect(outcome.seen.refused.count).toBeGreaterThan(100);
});

test.skipIf(noCompiler).each([
  {
    mutant: 'a queue that is bounded by its length alone',
    changes: [
      ['app/write/controlled-delay.js', '(this.#aboveSinceMs ?? nowMs) >=', '(nowMs) >'],
      ['app/write/controlled-delay.js', 'STALL_INTERVALS = 10', 'STALL_INTERVALS = 1e9'],
    ] as const,
    words: /^99 % of the accepted commands took up to \d{4,} ms$/,
  },
  {
    mutant: 'a refusal that is never sent',
    changes: [['app/write/command-queue.js', 'resolve(OVERLOADED);', 'void resolve;']] as const,
    words: /requests got no answer$/,
  },
  {
    mutant: 'a Retry-After that is the same for all',
    changes: [['http/answers/error.js', 'MAX_RETRY_S = 4', 'MAX_RETRY_S = 1']] as const,
    words: /^Retry-After was 1$/,
  },
])('it is noticed: $mutant', async ({ changes, words }) => {
  const { broken } = await runOverload({
    ...BRIEF,
    root: productOfSmallBatches(BATCH, ...changes),
  });
  expect(broken).toContainEqual(expect.stringMatching(words));
});
