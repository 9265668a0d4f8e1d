import type { Arbitrary } from 'fast-check';
import { closing } from './closing.ts';
import { type ConcurrentOptions, type ConcurrentResult, checkConcurrently } from './concurrent.ts';
import type { Decider, Domain } from './domain.ts';
import type { EventStore } from './event-store.ts';
import { type FindOptions, find } from './find.ts';
import { requireMethods, WatchedDecider } from './form.ts';
import {
  type BrokenRule,
  brokenRule,
  type IllegalHistory,
  illegalHistories,
  legalHistories,
} from './histories.ts';
import { isCount, requireOptions } from './options.ts';
import { type Program, requireProgram } from './program.ts';
import { type ProgramOptions, Programs } from './programs.ts';
import type { Progress } from './progress.ts';
import { Run } from './run.ts';
import { type Given, given } from './scenario.ts';
import { asScript, onLines, replayOf, thrownBy } from './script.ts';
import { specificationOf } from './specification.ts';
import { checkEventStore, type StoreOptions, type StoreResult } from './store-check.ts';
import { deciderTarget, type Target } from './target.ts';
import { causeIn, nothingChecked, Violation } from './violation.ts';

/** The kit of one aggregate: everything that its description makes testable. */

const NO_ROUND = 'no round was begun before the signal, or the end of the time';
const TO_REPEAT = 'To run it again, pass these options to the same call:';

export interface CheckOptions<Command = unknown> extends ProgramOptions, FindOptions {
  /** Programs to run once each instead of drawn ones, such as those of recorded traces. */
  readonly programs?: readonly Program<Command>[];
}

export interface CheckResult<Command> {
  readonly seed: number;
  /** The number of programs run, and of their steps; those of shrinking included. */
  readonly runs: number;
  readonly steps: number;
  readonly isInterrupted: boolean;
  /** The shortest program found that violates a rule, if any. */
  readonly counterexample?: Counterexample<Command>;
}

export interface Counterexample<Command> {
  readonly rule: string;
  readonly detail: string;
  /** The call of the target or of the model that threw, in words; absent if nothing was thrown. */
  readonly call?: string;
  /** What it threw. */
  readonly cause?: unknown;
  /** The steps that were begun. */
  readonly program: Program<Command>;
  readonly path: string;
  /** The seed and the path, or the number of the given program, in words. */
  readonly origin: string;
  /** The program in words, with the answers that are due. */
  readonly script: string;
  /** The options that run the program again, as a JavaScript expression. */
  readonly replay: string;
}

/** Returns the kit for an aggregate. */
export function kitFor<State, Command, Event>(
  domain: Domain<State, Command, Event>,
): Kit<State, Command, Event> {
  return new Kit(domain);
}

export class Kit<State, Command, Event> {
  readonly domain: Domain<State, Command, Event>;
  readonly #model: WatchedDecider<State, Command, Event>;

  constructor(domain: Domain<State, Command, Event>) {
    this.domain = domain;
    this.#model = new WatchedDecider('the model', domain.model);
  }

  /** Draws programs of one client. */
  programs(options: ProgramOptions = {}): Arbitrary<Program<Command>> {
    return new Programs(this.domain, options);
  }

  /** Draws the events that the model records for arbitrary commands to one aggregate. */
  legalHistories(maxCommands = 40): Arbitrary<readonly Event[]> {
    isCount('maxCommands', maxCommands);
    return legalHistories(this.domain, maxCommands);
  }

  /** Draws histories of one aggregate of which one event breaks a rule, with the rule and the place. */
  illegalHistories(): Arbitrary<IllegalHistory<Event>> {
    return illegalHistories(this.domain);
  }

  /** Returns the first violation in the events of one aggregate, if there is one. */
  brokenRule(events: readonly Event[]): BrokenRule | undefined {
    return brokenRule(this.domain, events);
  }

  /** Begins a test of one decision: `given(decider, …events).when(command).thenRejected(reason)`. */
  given<Own>(
    decider: Decider<Own, Command, Event>,
    ...history: readonly Event[]
  ): Given<Command, Event> {
    return given(decider, history);
  }

  /** Draws programs and runs them against a target until one violates a rule; shrinks that one. */
  async check(
    target: Target<Command, Event>,
    options: CheckOptions<Command> = {},
  ): Promise<CheckResult<Command>> {
    requireOptions(options);
    let [runs, steps] = [0, 0];
    const attempt = async (program: Program<Command>, progress: Progress) => {
      progress.calls('open');
      const session = await target.open();
      requireMethods('what open has returned', session, ['perform']);
      const run = new Run(this.domain, session, this.#model, progress);
      try {
        const closes = () => progress.calls('close');
        await closing(session, () => run.program(program), closes);
      } finally {
        runs += 1;
        steps += run.steps;
      }
    };
    const { programs: given } = options;
    given?.forEach(requireProgram);
    const found = await find(this.programs(options), attempt, {
      ...options,
      ...(given && { given }),
    });
    const { seed, isInterrupted, counterexample } = found;
    if (counterexample === undefined) return { seed, runs, steps, isInterrupted };
    const { value, begun, ...why } = counterexample;
    // Without the steps that never ran.
    const program = { steps: value.steps.slice(0, begun) };
    const script = asScript(this.domain, this.#model, program, why);
    const replay = replayOf(`{ steps: ${onLines(program.steps)} }`);
    return {
      seed,
      runs,
      steps,
      isInterrupted,
      counterexample: { program, ...why, script, replay },
    };
  }

  /** Like {@link check}, but throws the counterexample, and if no step was run: for tests. */
  async assertHolds(
    target: Target<Command, Event>,
    options: CheckOptions<Command> = {},
  ): Promise<CheckResult<Command>> {
    const result = await this.check(target, options);
    const { counterexample, steps } = result;
    if (counterexample === undefined) {
      if (steps > 0) return result;
      throw nothingChecked(target.name, 'no step was run');
    }
    const { rule, script, replay } = counterexample;
    const text = `${target.name}:\n${script}\n${TO_REPEAT}\n${replay}`;
    throw new Violation(rule, text, script, causeIn(counterexample));
  }

  /** The same for a decider. */
  assertDecides<Own>(decider: Decider<Own, Command, Event>, options: CheckOptions<Command> = {}) {
    return this.assertHolds(deciderTarget('decider', decider), options);
  }

  /** Runs clients at once on the same aggregates, and checks that their history is linearizable. */
  async checkConcurrently(
    target: Target<Command, Event>,
    options: ConcurrentOptions<Command> = {},
  ): Promise<ConcurrentResult> {
    requireOptions(options);
    return checkConcurrently(this.domain, target, options);
  }

  /** Like {@link checkConcurrently}, but throws a violation, and if all is undecided: for tests. */
  async assertLinearizable(
    target: Target<Command, Event>,
    options: ConcurrentOptions<Command> = {},
  ): Promise<ConcurrentResult> {
    const result = await this.checkConcurrently(target, options);
    const { violation, replay, seed, rounds, calls, undecided } = result;
    if (violation !== undefined) {
      const origin = options.programs === undefined ? `\nSeed ${seed}.` : '';
      const again = replay === undefined ? '' : `\n${TO_REPEAT}\n${replay}`;
      const text = `${violation}${origin}${again}`;
      throw new Violation('concurrent calls are linearizable', text, undefined, causeIn(result));
    }
    if (rounds === 0) throw nothingChecked(target.name, NO_ROUND);
    if (calls === 0 && undecided < rounds) throw nothingChecked(target.name, 'no call was made');
    if (undecided < rounds) return result;
    throw nothingChecked(target.name, `${undecided} of ${rounds} rounds are undecided`);
  }

  /** The aggregate as a sequential object, for `linearize` and histories that were recorded otherwise. */
  get specification() {
    return specificationOf(this.domain);
  }

  /** Runs random appends on an event store, with this aggregate's events. */
  async checkEventStore(
    open: () => Promise<EventStore<Event>>,
    options: StoreOptions<Event> = {},
  ): Promise<StoreResult<Event>> {
    requireOptions(options);
    return checkEventStore(open, this.domain.events, options);
  }

  /** Like {@link checkEventStore}, but throws the counterexample, and if nothing was appended: for tests. */
  async assertEventStore(
    open: () => Promise<EventStore<Event>>,
    options: StoreOptions<Event> = {},
  ): Promise<StoreResult<Event>> {
    const result = await this.checkEventStore(open, options);
    const { counterexample, steps } = result;
    if (counterexample === undefined) {
      if (steps > 0) return result;
      throw nothingChecked('the event store', 'nothing was appended');
    }
    const { rule, detail, call, script, origin, replay } = counterexample;
    const what = call === undefined ? detail : `${detail}\n${thrownBy(call)}`;
    const text = `${rule}\n${what}\n${script}\n${origin}\n${TO_REPEAT}\n${replay}`;
    throw new Violation(rule, text, script, causeIn(counterexample));
  }
}
