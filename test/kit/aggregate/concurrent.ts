import fc from 'fast-check';
import type { TurnLimits } from '../linearizability/wing-gong.ts';
import { requireCounts } from '../numbers.ts';
import { type Bundle, type Round, runRound, shrunk, type Violated } from './bundle.ts';
import type { Domain } from './domain.ts';
import { NO_LIMITS, randomSeed } from './find.ts';
import { type Program, requireProgram } from './program.ts';
import { type ProgramOptions, Programs } from './programs.ts';
import { AnswerTally } from './tally.ts';
import type { Target } from './target.ts';
import { timeFor } from './time-limit.ts';

/**
 * Clients that send commands to the same aggregates at once. Their history must be linearizable: each
 * aggregate behaves as if each call happened at one moment between its start and its answer.
 */

export interface ConcurrentOptions<Command = unknown> extends ProgramOptions, TurnLimits {
  /** The number of clients; default 3. */
  readonly clients?: number;
  /** The number of rounds, each in a session of its own; default 100. */
  readonly rounds?: number;
  readonly seed?: number;
  /** Programs to run in every round instead of drawn ones, each by a client of its own. */
  readonly programs?: readonly Program<Command>[];
  /**
   * The time after which no more rounds are begun, in milliseconds; default none. The round that is running
   * then has as long again to end, and at least 2 s: that a call never ends is a violation. So it is 2 s
   * after `signal`. Infinity is none.
   */
  readonly timeLimitMs?: number;
  /** The time for which a violation is shrunk, in milliseconds; default 1,000. Infinity is as long as it takes. */
  readonly shrinkMs?: number;
}

export interface ConcurrentResult {
  readonly seed: number;
  readonly rounds: number;
  readonly calls: number;
  /** The number of histories for which the search ended at a limit. */
  readonly undecided: number;
  /** The number of calls that threw, by the messages of their errors; absent if none did. */
  readonly unanswered?: Readonly<Record<string, number>>;
  /** A history without a linearization, in words: of the first aggregate that has none. */
  readonly violation?: string;
  /** What the target threw, if that is the violation. */
  readonly cause?: unknown;
  /** The options that run the programs of the violation again, as a JavaScript expression. */
  readonly replay?: string;
}

/** Runs concurrent clients, and checks each aggregate's history for linearizability. */
export async function checkConcurrently<State, Command, Event>(
  domain: Domain<State, Command, Event>,
  target: Target<Command, Event>,
  options: ConcurrentOptions<Command> = {},
): Promise<ConcurrentResult> {
  const {
    clients = 3,
    rounds = 100,
    seed = randomSeed(),
    maxSteps = 5,
    maxAggregates = 2,
    programs: given,
  } = options;
  requireCounts({ 'the number of programs': given?.length ?? clients });
  given?.forEach(requireProgram);
  const program = new Programs(domain, { ...options, maxSteps, maxAggregates });
  const bundles = fc.array(program, { minLength: clients, maxLength: clients });
  const drawn = given ? [] : fc.sample(bundles, { ...NO_LIMITS, seed, numRuns: rounds });
  const time = timeFor(options.timeLimitMs, options.signal);
  const run = (bundle: Bundle<Command>) => runRound(domain, target, bundle, options, time);
  const tally = new AnswerTally();
  let [done, calls, undecided] = [0, 0, 0];
  let found: Violated<Command> | undefined;
  while (done < rounds && found === undefined && !time.isOver()) {
    const bundle = given ?? (drawn[done] as Bundle<Command>);
    const round = await run(bundle);
    done += 1;
    calls += round.calls.length;
    tally.add(round.calls);
    if (round.isUndecided) undecided += 1;
    const violation = round.violation ?? mistakeOf(round, tally);
    found = violation && { bundle, ...violation };
  }
  const { unanswered } = tally;
  const result = { seed, rounds: done, calls, undecided, ...(unanswered && { unanswered }) };
  if (found === undefined) {
    const violation = tally.violation();
    return { ...result, ...(violation !== undefined && { violation }) };
  }
  const simpler = (part: Program<Command>) => program.shrink(part).map(({ value }) => value);
  return { ...result, ...(await shrunk(found, simpler, run, options)) };
}

/**
 * Returns the mistake of a round, unless no such call was ever answered: that is reported in the end, with
 * the last error.
 */
function mistakeOf({ mistake }: Round, tally: AnswerTally): Round['violation'] {
  return mistake !== undefined && tally.isAnswered(mistake.does) ? mistake : undefined;
}
