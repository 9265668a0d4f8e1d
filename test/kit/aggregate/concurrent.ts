import fc from 'fast-check';
import { linearizeInTurns, type TurnLimits } from '../linearizability/wing-gong.ts';
import { allEnded, closing } from './closing.ts';
import type { Commands, Domain } from './domain.ts';
import { NO_LIMITS, randomSeed, requireCounts } from './find.ts';
import type { Given } from './form.ts';
import { letterOf, type Name, type Program, requireProgram, type Step } from './program.ts';
import { type ProgramOptions, Programs } from './programs.ts';
import { answerIn, outcomeOf, printed, requireSameAnswer } from './run.ts';
import { onLines, replayOf } from './script.ts';
import { simplerBundles } from './simpler.ts';
import { type Call, specificationOf } from './specification.ts';
import {
  commandGiven,
  eventsOf,
  performIn,
  type Session,
  type Target,
  type Told,
} from './target.ts';
import { asText, copyOf } from './text.ts';
import { brokenBy, Violation } from './violation.ts';

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
  /** The time for which a violation is shrunk, in milliseconds; default 1,000. */
  readonly shrinkMs?: number;
}

export interface ConcurrentResult {
  readonly seed: number;
  readonly rounds: number;
  readonly calls: number;
  /** The number of histories for which the search ended at a limit. */
  readonly undecided: number;
  /** A history without a linearization, in words: of the first aggregate that has none. */
  readonly violation?: string;
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
  requireCounts({ clients, rounds, 'the number of programs': given?.length ?? clients });
  given?.forEach(requireProgram);
  const program = new Programs(domain, { ...options, maxSteps, maxAggregates });
  const bundles = fc.array(program, { minLength: clients, maxLength: clients });
  const drawn = given ? [] : fc.sample(bundles, { ...NO_LIMITS, seed, numRuns: rounds });
  const run = (bundle: Bundle<Command>) => runRound(domain, target, bundle, options);
  let [calls, undecided] = [0, 0];
  const tally = new AnswerTally();
  for (let round = 0; round < rounds; round += 1) {
    if (options.signal?.aborted) return { seed, rounds: round, calls, undecided };
    const bundle = given ?? (drawn[round] as Bundle<Command>);
    const history = await run(bundle);
    calls += history.calls.length;
    tally.add(history.calls);
    if (history.isUndecided) undecided += 1;
    const { violation } = history;
    if (violation === undefined) continue;
    const simpler = (part: Program<Command>) => program.shrink(part).map(({ value }) => value);
    const smallest = await shrunk({ bundle, violation }, simpler, run, options);
    return { seed, rounds: round + 1, calls, undecided, ...smallest };
  }
  const violation = tally.violation();
  return { seed, rounds, calls, undecided, ...(violation !== undefined && { violation }) };
}

/** Programs that run at once, each by a client of its own. */
type Bundle<Command> = readonly Program<Command>[];

interface Round<Command, Event> {
  readonly calls: readonly Call<Command, Event>[];
  readonly isUndecided: boolean;
  readonly violation?: string;
}

async function runRound<State, Command, Event>(
  domain: Domain<State, Command, Event>,
  target: Target<Command, Event>,
  bundle: Bundle<Command>,
  limits: TurnLimits,
): Promise<Round<Command, Event>> {
  const calls: Call<Command, Event>[] = [];
  try {
    const session = await target.open();
    const history = new Recording(domain, session, calls);
    // A copy, as the target may change it in place, and the programs are shrunk and shown afterwards.
    await closing(session, () => history.record(copyOf(bundle)));
    const found = await judge(domain, calls, limits);
    if (found === 'undecided') return { calls, isUndecided: true };
    return { calls, isUndecided: false, ...(found !== undefined && { violation: found }) };
  } catch (error) {
    const lines = [brokenBy(error).detail, ...calls.map((call) => `  ${inWords(domain, call)}`)];
    return { calls, isUndecided: false, violation: lines.join('\n') };
  }
}

const SHRINK_MS = 1_000;
/** A smaller bundle may need the right moments: it is tried several times. */
const TRIES = 5;

/** Returns the violation of the smallest bundle that is found to have one, with the options that repeat it. */
async function shrunk<Command>(
  found: { readonly bundle: Bundle<Command>; readonly violation: string },
  simpler: (part: Program<Command>) => Iterable<Program<Command>>,
  run: (bundle: Bundle<Command>) => Promise<Round<Command, unknown>>,
  { shrinkMs = SHRINK_MS, signal }: ConcurrentOptions<Command>,
): Promise<{ readonly violation: string; readonly replay: string }> {
  const end = performance.now() + shrinkMs;
  const isOver = () => signal?.aborted === true || performance.now() >= end;
  const smaller = async ({ bundle }: typeof found): Promise<typeof found | undefined> => {
    for (const candidate of simplerBundles(bundle, simpler)) {
      for (let tried = 0; tried < TRIES; tried += 1) {
        if (isOver()) return undefined;
        const { violation } = await run(candidate);
        if (violation !== undefined) return { bundle: candidate, violation };
      }
    }
    return undefined;
  };
  let smallest = found;
  for (let next = await smaller(found); next !== undefined; next = await smaller(next)) {
    smallest = next;
  }
  const programs = smallest.bundle.map(({ steps }) => `{ steps: ${onLines(steps)} }`);
  return { violation: smallest.violation, replay: replayOf(programs.join(', ')) };
}

/** Counts the calls that were answered: a history without answers is always linearizable. */
class AnswerTally {
  readonly #answered = new Set<string>();
  readonly #failed = new Map<string, string>();

  add(calls: readonly Call<unknown, unknown>[]): void {
    for (const { asked, answer } of calls) {
      if (answer.kind === 'unknown') this.#failed.set(asked.do, answer.why);
      else if (answer.kind !== 'recorded') this.#answered.add(asked.do);
    }
  }

  /** Returns a violation if commands were sent and none was answered, or if all looks failed. */
  violation(): string | undefined {
    for (const kind of ['command', 'look']) {
      const why = this.#failed.get(kind);
      if (why === undefined || this.#answered.has(kind)) continue;
      return `no ${kind} was answered, which shows nothing; the last one failed: ${why}`;
    }
    return undefined;
  }
}

/** One command in so many is sent twice, if the target is idempotent. */
const REPEAT_EVERY = 2;
const MAX_TURNS = 16;

/** Records the calls of one round. */
class Recording<State, Command, Event> {
  readonly #calls: Call<Command, Event>[];
  readonly #domain: Domain<State, Command, Event>;
  readonly #session: Session<Command, Event>;
  readonly #given: Given[] = [];
  #moment = 0;
  #commands = 0;

  /** @param calls Receives the calls. */
  constructor(
    domain: Domain<State, Command, Event>,
    session: Session<Command, Event>,
    calls: Call<Command, Event>[],
  ) {
    this.#domain = domain;
    this.#session = session;
    this.#calls = calls;
  }

  /** Runs programs at once, one by each client, and reads every aggregate once more. */
  async record(programs: readonly Program<Command>[]): Promise<void> {
    await allEnded(programs.map(({ steps }, client) => this.#client(client, steps)));
    await this.#lookAtAll();
    for (const given of this.#given) given.requireUnchanged();
  }

  async #client(client: number, steps: readonly Step<Command>[]): Promise<void> {
    for (const step of steps) if (step.do !== 'restart') await this.#call(client, step);
  }

  async #lookAtAll(): Promise<void> {
    const names = new Set(this.#calls.map(({ asked }) => asked.on));
    for (const on of names) {
      await this.#call(0, { do: 'look', on });
      const events = await eventsOf(this.#session, this.#idOf(on), `the events of ${letterOf(on)}`);
      if (events === undefined) continue;
      this.#note(0, { do: 'look', on }, ++this.#moment, { kind: 'recorded', events });
    }
  }

  async #call(client: number, asked: Call<Command, Event>['asked']): Promise<void> {
    if (asked.do === 'look' && !(this.#session.view && this.#domain.view)) return;
    const invoked = ++this.#moment;
    try {
      this.#note(client, asked, invoked, await this.#answerTo(client, asked));
    } catch (error) {
      // An answer of another form is a mistake of the target, not a lost answer.
      if (error instanceof Violation) throw error;
      this.#note(client, asked, invoked, { kind: 'unknown', why: brokenBy(error).detail });
    }
  }

  async #answerTo(client: number, asked: Call<Command, Event>['asked']) {
    const id = this.#idOf(asked.on);
    if (asked.do === 'look') {
      return { kind: 'seen', view: await this.#session.view?.(id) } as const;
    }
    const commandId = `command-${++this.#commands}`;
    const { command } = asked;
    const what = printed(this.#domain, command, asked.on);
    const given = commandGiven(command, what);
    this.#given.push(given);
    const perform = () => performIn(this.#session, { id, command, commandId, client }, what, given);
    const isRepeated = this.#session.isIdempotent && this.#commands % REPEAT_EVERY === 0;
    return isRepeated ? this.#twice(perform, what) : perform();
  }

  /** Sends a command again while its first answer may be due, after a few turns: both must be the same. */
  async #twice(perform: () => Promise<Told<Event>>, what: string): Promise<Told<Event>> {
    const turns = this.#moment % MAX_TURNS;
    const again = async () => {
      for (let turn = 0; turn < turns; turn += 1) await undefined;
      return perform();
    };
    const ends = await Promise.allSettled([perform(), again()]);
    const told = ends.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : []));
    const [first, second] = told;
    for (const end of ends) {
      // One answer is enough, but a mistake in the other's form is none.
      if (end.status === 'rejected' && (first === undefined || end.reason instanceof Violation)) {
        throw end.reason;
      }
    }
    if (second !== undefined) {
      requireSameAnswer(what, answerIn(second), answerIn(first as Told<Event>));
    }
    return first as Told<Event>;
  }

  #note(
    client: number,
    asked: Call<Command, Event>['asked'],
    invoked: number,
    answer: Call<Command, Event>['answer'],
  ): void {
    const returned = answer.kind === 'unknown' ? Number.POSITIVE_INFINITY : ++this.#moment;
    this.#calls.push({ client, asked, answer, invoked, returned });
  }

  #idOf(name: Name): string {
    return `${this.#domain.name}-${name + 1}`;
  }
}

/**
 * Returns a violation in words, if there is one. Aggregates are judged one by one: a history is
 * linearizable exactly if that of each object is (Herlihy and Wing, "Linearizability", ACM TOPLAS
 * 12(3), 1990).
 */
async function judge<State, Command, Event>(
  domain: Domain<State, Command, Event>,
  calls: readonly Call<Command, Event>[],
  limits: TurnLimits,
): Promise<string | 'undecided' | undefined> {
  let isUndecided = false;
  for (const name of new Set(calls.map(({ asked }) => asked.on))) {
    const own = calls.filter(({ asked }) => asked.on === name);
    const [recorded] = own.flatMap(({ answer }) => (answer.kind === 'recorded' ? [answer] : []));
    const object = specificationOf(domain, recorded?.events);
    const result = await linearizeInTurns(object, own, limits);
    if (result.found === undefined) isUndecided = true;
    if (result.found !== false) continue;
    const left = own.filter((call) => !result.longest.includes(call));
    return [
      `the calls of ${letterOf(name)} are not linearizable:`,
      ...own.map((call) => `  ${inWords(domain, call)}`),
      `after ${result.longest.length} of them the state is ${asText(result.state.state)}; what is left fits nowhere:`,
      ...left.map((call) => `  ${inWords(domain, call)}`),
    ].join('\n');
  }
  return isUndecided ? 'undecided' : undefined;
}

function inWords<Command, Event>(
  domain: Commands<Command>,
  { client, asked, answer, invoked, returned }: Call<Command, Event>,
): string {
  const what =
    asked.do === 'look' ? `${letterOf(asked.on)}: look` : printed(domain, asked.command, asked.on);
  return `[${invoked}, ${returned}] client ${client + 1}, ${what} → ${answerInWords(answer)}`;
}

function answerInWords<Command, Event>(answer: Call<Command, Event>['answer']): string {
  switch (answer.kind) {
    case 'seen':
      return asText(answer.view);
    case 'recorded':
      return `recorded ${asText(answer.events)}`;
    case 'unknown':
      return `no answer: ${answer.why}`;
    default:
      return outcomeOf(answer);
  }
}
