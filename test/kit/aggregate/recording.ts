import { allEnded } from './closing.ts';
import type { Domain } from './domain.ts';
import type { Given } from './form.ts';
import type { History } from './judging.ts';
import { HOW_TO_LOSE, isCut, isOwnMistake } from './lost.ts';
import { letterOf, type Name, type Program, type Step } from './program.ts';
import type { Progress } from './progress.ts';
import { answerIn, outcomeOf, printed, RULES, requireSameAnswer } from './run.ts';
import type { Call } from './specification.ts';
import {
  commandGiven,
  eventsOf,
  performIn,
  requireComparable,
  type Session,
  type Told,
} from './target.ts';
import { brokenBy, readable, Violation } from './violation.ts';

/** The recorder of a history: clients that send commands at once. */

/** One command in so many is sent twice, if the target is idempotent. */
const REPEAT_EVERY = 2;
const MAX_TURNS = 16;

/** A call that threw an error by which no answer was lost. */
export interface Mistake {
  readonly does: 'command' | 'look';
  readonly cause: unknown;
}

/** Records the calls of one round. */
export class Recording<State, Command, Event> implements History<Command, Event> {
  /** The answered calls, and those that threw. */
  readonly calls: Call<Command, Event>[] = [];
  /** The moment of the restart, if there was one. */
  restarted?: number;
  /** The first mistake. */
  mistake?: Mistake;
  /** The number of steps that each client has begun. */
  readonly begun: number[] = [];
  /** The call of the target that is under way while no client runs. */
  readonly progress: Progress;
  readonly #pending = new Set<Call<Command, Event>>();
  readonly #domain: Domain<State, Command, Event>;
  readonly #session: Session<Command, Event>;
  readonly #given: Given[] = [];
  #moment = 0;
  #commands = 0;

  constructor(
    domain: Domain<State, Command, Event>,
    session: Session<Command, Event>,
    progress: Progress,
  ) {
    requireComparable(domain, session);
    this.#domain = domain;
    this.#session = session;
    this.progress = progress;
  }

  /** The calls that have no answer yet. */
  get pending(): readonly Call<Command, Event>[] {
    return [...this.#pending];
  }

  /**
   * Runs programs at once, one by each client, and reads every aggregate once more. Then restarts, if a
   * program does, and reads them again: a restart beside other clients would cut off their answers.
   */
  async record(programs: readonly Program<Command>[]): Promise<void> {
    this.progress.calls('perform');
    await allEnded(programs.map(({ steps }, client) => this.#client(client, steps)));
    await this.#lookAtAll();
    const restarts = programs.some(({ steps }) => steps.some((step) => step.do === 'restart'));
    if (restarts && this.#session.restart !== undefined) {
      this.restarted = ++this.#moment;
      this.progress.calls('restart');
      await this.#session.restart();
      await this.#lookAtAll();
    }
    for (const given of this.#given) given.requireUnchanged();
  }

  async #client(client: number, steps: readonly Step<Command>[]): Promise<void> {
    this.begun[client] = 0;
    for (const step of steps) {
      this.begun[client] += 1;
      if (step.do !== 'restart') await this.#call(client, step);
    }
  }

  async #lookAtAll(): Promise<void> {
    const names = new Set(this.calls.map(({ asked }) => asked.on));
    for (const on of names) {
      await this.#call(0, { do: 'look', on });
      this.progress.calls('events', letterOf(on));
      const events = await eventsOf(this.#session, this.#idOf(on), `the events of ${letterOf(on)}`);
      if (events === undefined) continue;
      this.#note(0, { do: 'look', on }, ++this.#moment, { kind: 'recorded', events });
    }
  }

  async #call(client: number, asked: Call<Command, Event>['asked']): Promise<void> {
    if (asked.do === 'look' && !(this.#session.view && this.#domain.view)) return;
    const invoked = ++this.#moment;
    const answer = { kind: 'unknown', why: 'none yet' } as const;
    const pending = { client, asked, answer, invoked, returned: Infinity };
    this.#pending.add(pending);
    try {
      this.#note(client, asked, invoked, await this.#answerTo(client, asked));
    } catch (error) {
      // An answer of another form is a mistake of the target, not a lost answer.
      if (readable(error) instanceof Violation) throw error;
      if (!this.#isLost(error)) this.mistake ??= { does: asked.do, cause: error };
      this.#note(client, asked, invoked, { kind: 'unknown', why: brokenBy(error).detail });
    } finally {
      this.#pending.delete(pending);
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
      if (end.status === 'fulfilled') continue;
      if (first === undefined || end.reason instanceof Violation) throw end.reason;
      // One answer is enough if the other was lost.
      const isLost = this.#session.isLost?.(end.reason) ?? isCut(end.reason);
      if (!isLost) throw brokenRepeat(what, first, end.reason);
    }
    if (second !== undefined) {
      requireSameAnswer(what, answerIn(second), answerIn(first as Told<Event>));
    }
    return first as Told<Event>;
  }

  /** Returns true for an error after which the command may have been recorded or not. */
  #isLost(error: unknown): boolean {
    return this.#session.isLost?.(error) ?? !isOwnMistake(error);
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

function brokenRepeat(what: string, told: Told<unknown>, error: unknown): Violation {
  const detail = `${what}, sent twice at once: ${outcomeOf(told)}, and the other one threw: ${brokenBy(error).detail}`;
  return new Violation(RULES.repeat, `${detail}\n${HOW_TO_LOSE}`, undefined, { cause: error });
}
