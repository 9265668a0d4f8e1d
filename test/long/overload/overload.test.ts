import { afterAll, expect, test } from 'vitest';
import { isInstalled } from '../../bench/load.ts';
import { cleanUp } from '../../bench/processes.ts';
import { isNightly } from '../../support/nightly.ts';
import {
  BRIEF_BATCH as BATCH,
  BRIEF,
  type Load,
  productOfSmallBatches,
  runOverload,
} from './overload.ts';

afterAll(cleanUp);

/**
 * The same beside as many readers. They take processor time from the commands; without a bound on reads,
 * a twentieth of their capacity is left.
 */
const BESIDE_READS: Load = {
  ...BRIEF,
  readers: 1_000,
  limitMs: 5_000,
  refusalMs: 5_000,
  minGoodput: 0.15,
  maxGrowth: 3,
};
/** Changes that break a promise. One of them is planted in minutes, all of them at night. */
const MUTANTS = [
  {
    mutant: 'a queue that is bounded by its length alone',
    changes: [
      ['app/write/queue/controlled-delay.js', '(this.#aboveSinceMs ?? nowMs) >=', '(nowMs) >'],
      ['app/write/queue/controlled-delay.js', 'STALL_INTERVALS = 10', 'STALL_INTERVALS = 1e9'],
    ] as const,
    words: /^99 % of the accepted commands took up to \d{4,} ms$/,
  },
  {
    mutant: 'a refusal that is never sent',
    changes: [
      ['app/write/queue/command-queue.js', 'answerAll(requests, OVERLOADED);', 'void answerAll;'],
    ] as const,
    words: /commands got no answer$/,
  },
  {
    mutant: 'a Retry-After that is the same for all',
    changes: [['http/answers/error.js', 'MAX_RETRY_S = 4', 'MAX_RETRY_S = 1']] as const,
    words: /^Retry-After was 1$/,
  },
  {
    mutant: 'any number of reads at once',
    load: BESIDE_READS,
    changes: [['app/read/bulkhead.js', 'this.#underWay < maxReads', 'maxReads > 0']] as const,
    // Which of the two depends on the machine.
    words: /^\d+ commands a second of \d+ were accepted$|accepted reads took up to \d{4,} ms$/,
  },
  {
    mutant: 'a probe that waits among the reads',
    load: BESIDE_READS,
    changes: [
      [
        'http/app.js',
        "probe(app, '/livez', () => ({ status: 'ok' }));",
        `app.get('/livez', async (req, res) => {
           const permit = await services.reads.enter(req.context);
           if (permit === undefined) throw new ApiError('service_unavailable');
           permit.release();
           res.json({ status: 'ok' });
         });`,
      ],
    ] as const,
    words: /^\d+ probes were refused$/,
  },
];
const noCompiler = isInstalled('cc') || isInstalled('strace') ? undefined : 'no cc, no strace';

test.skipIf(noCompiler)('ten times the capacity is served in time', async () => {
  const outcome = await runOverload({ ...BRIEF, root: productOfSmallBatches(BATCH) });
  expect(outcome.broken, JSON.stringify(outcome)).toStrictEqual([]);
  expect(outcome.seen.refused.count).toBeGreaterThan(100);
});

test.skipIf(noCompiler)('reads hold up neither commands nor probes', async () => {
  const outcome = await runOverload({ ...BESIDE_READS, root: productOfSmallBatches(BATCH) });
  expect(outcome.broken, JSON.stringify(outcome)).toStrictEqual([]);
  expect(outcome.reads?.accepted.count).toBeGreaterThan(100);
  expect(outcome.probes.accepted.count).toBeGreaterThan(0);
});

test('each mutant can be planted, also those that are only at night', () => {
  for (const { changes } of MUTANTS) productOfSmallBatches(BATCH, ...changes);
});

test.runIf(isNightly && noCompiler === undefined).each(MUTANTS)(
  'it is noticed: $mutant',
  async ({ load = BRIEF, changes, words }) => {
    const { broken } = await runOverload({
      ...load,
      root: productOfSmallBatches(BATCH, ...changes),
    });
    expect(broken).toContainEqual(expect.stringMatching(words));
  },
);
