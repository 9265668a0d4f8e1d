import fc from 'fast-check';
import {
  type Interval,
  linearizeInTurns,
  type Specification,
  type TurnLimits,
} from '../linearizability/wing-gong.ts';
import { type Commands, type Domain, rebuild } from './domain.ts';
import { randomSeed } from './find.ts';
import { letterOf, type Name, type Step } from './program.ts';
import { type ProgramOptions, Programs } from './programs.ts';
import { outcomeOf, printed } from './run.ts';
import type { Session, Target, Told } from './target.ts';
import { asText, isSame } from './text.ts';

/**
 * Clients that send commands to the same aggregates at once. Their history must be linearizable: each
 * aggregate behaves as if each call happened at one moment between its start and its answer.
 */

/** A call of a client, with its answer. Moments are counted, not timed. */
export interface Call<Command, Event> extends Interval {
  readonly client: number;
  readonly asked: Exclude<Step<Command>, { do: 'restart' }>;
  readonly answer:
    | Told<Event>
    | { readonly kind: 'seen'; readonly view: unknown }
    /** The recorded events, read after all calls. */
    | { readonly kind: 'recorded'; readonly events: readonly Event[] }
    | { readonly kind: 'unknown'; readonly why: string };
}

export interface ConcurrentOptions extends ProgramOptions, TurnLimits {
  /** The number of clients; default 3. */
  readonly clients?: number;
  /** The number of rounds, each in a session of its own; default 100. */
  readonly rounds?: number;
  readonly seed?: number;
}

export interface ConcurrentResult {
  readonly seed: number;
  readonly rounds: number;
  readonly calls: number;
  /** The number of histories for which the search ended at a limit. */
  readonly undecided: number;
  /** A history without a linearization, in words: of the first aggregate that has none. */
  readonly violation?: string;
}

/** Returns the specification of an aggregate, by its model. */
export function specificationOf<State, Command, Event>(
  domain: Domain<State, Command, Event>,
): Specification<State, Call<Command, Event>> {
  return {
    initial: domain.model.initial,
    after: (state, call) => stateAfter(domain, state, call),
    keyOf: asText,
    staysIdle: (_, { answer: { kind } }) => kind !== 'accepted' && kind !== 'unknown',
  };
}

function stateAfter<State, Command, Event>(
  domain: Domain<State, Command, Event>,
  state: State,
  { asked, answer }: Call<Command, Event>,
): State | undefined {
  const { model } = domain;
  if (answer.kind === 'recorded') {
    return isSame(rebuild(model, answer.events), state) ? state : undefined;
  }
  if (answer.kind === 'seen') return isSame(domain.view?.(state), answer.view) ? state : undefined;
  if (asked.do === 'look') return state;
  const decision = model.decide(asked.command, state);
  const events = decision.kind === 'accepted' ? decision.events : [];
  const next = () => events.reduce((before, event) => model.evolve(before, event), state);
  if (answer.kind === 'unknown') return next();
  if (outcomeOf(decision) !== outcomeOf(answer)) return undefined;
  const told = answer.kind === 'accepted' ? answer.events : undefined;
  return told === undefined || isSame(told, events) ? next() : undefined;
}

/** Runs concurrent clients, and checks each aggregate's history for linearizability. */
export async function checkConcurrently<State, Command, Event>(
  domain: Domain<State, Command, Event>,
  target: Target<Command, Event>,
  options: ConcurrentOptions = {},
): Promise<ConcurrentResult> {
  const {
    clients = 3,
    rounds = 100,
    seed = randomSeed(),
    maxSteps = 5,
    maxAggregates = 2,
  } = options;
  const program = new Programs(domain, { ...options, maxSteps, maxAggregates });
  const bundles = fc.array(program, { minLength: clients, maxLength: clients });
  let calls = 0;
  let undecided = 0;
  for (const [round, bundle] of fc.sample(bundles, { seed, numRuns: rounds }).entries()) {
    if (options.signal?.aborted) return { seed, rounds: round, calls, undecided };
    const session = await target.open();
    const history = new Recording(domain, session);
    await Promise.all(bundle.map(({ steps }, client) => history.client(client, steps)));
    await history.end();
    await session.close?.();
    calls += history.calls.length;
    const found = await judge(domain, history.calls, options);
    if (found === 'undecided') undecided += 1;
    else if (found !== undefined) {
      return { seed, rounds: round + 1, calls, undecided, violation: found };
    }
  }
  return { seed, rounds, calls, undecided };
}

/** Records the calls of one round. */
class Recording<State, Command, Event> {
  readonly calls: Call<Command, Event>[] = [];
  readonly #domain: Domain<State, Command, Event>;
  readonly #session: Session<Command, Event>;
  #moment = 0;
  #commands = 0;

  constructor(domain: Domain<State, Command, Event>, session: Session<Command, Event>) {
    this.#domain = domain;
    this.#session = session;
  }

  async client(client: number, steps: readonly Step<Command>[]): Promise<void> {
    for (const step of steps) if (step.do !== 'restart') await this.#call(client, step);
  }

  /** Reads every aggregate once more. */
  async end(): Promise<void> {
    const names = new Set(this.calls.map(({ asked }) => asked.on));
    for (const on of names) {
      await this.#call(0, { do: 'look', on });
      const events = await this.#session.events?.(this.#idOf(on));
      if (events !== undefined)
        this.#note(0, { do: 'look', on }, ++this.#moment, { kind: 'recorded', events });
    }
  }

  async #call(client: number, asked: Call<Command, Event>['asked']): Promise<void> {
    if (asked.do === 'look' && !(this.#session.view && this.#domain.view)) return;
    const invoked = ++this.#moment;
    try {
      this.#note(client, asked, invoked, await this.#answerTo(client, asked));
    } catch (error) {
      this.#note(client, asked, invoked, { kind: 'unknown', why: (error as Error).message });
    }
  }

  async #answerTo(client: number, asked: Call<Command, Event>['asked']) {
    const id = this.#idOf(asked.on);
    if (asked.do === 'look') {
      return { kind: 'seen', view: await this.#session.view?.(id) } as const;
    }
    const commandId = `command-${++this.#commands}`;
    return this.#session.perform({ id, command: asked.command, commandId, client });
  }

  #note(
    client: number,
    asked: Call<Command, Event>['asked'],
    invoked: number,
    answer: Call<Command, Event>['answer'],
  ): void {
    const returned = answer.kind === 'unknown' ? Number.POSITIVE_INFINITY : ++this.#moment;
    this.calls.push({ client, asked, answer, invoked, returned });
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
    const result = await linearizeInTurns(specificationOf(domain), own, limits);
    if (result.found === undefined) isUndecided = true;
    if (result.found !== false) continue;
    const left = own.filter((call) => !result.longest.includes(call));
    return [
      `the calls of ${letterOf(name)} are not linearizable:`,
      ...own.map((call) => `  ${inWords(domain, call)}`),
      `after ${result.longest.length} of them the state is ${asText(result.state)}; what is left fits nowhere:`,
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
