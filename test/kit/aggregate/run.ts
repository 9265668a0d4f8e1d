import { type Commands, type Domain, rebuild } from './domain.ts';
import { FORM_RULES, type InitialState, requireDecision } from './form.ts';
import { letterOf, type Name, type Program, type Step } from './program.ts';
import { eventsOf, performIn, type Request, type Session, type Told } from './target.ts';
import { asText, isSame } from './text.ts';
import { Violation } from './violation.ts';

/** The rules that a run checks, by their names in reports. */
export const RULES = {
  answer: 'every answer is that of the model',
  recorded: 'every change is recorded once, and nothing else is',
  view: 'a reader sees every change',
  restart: 'what was acknowledged outlives a restart',
  repeat: 'a repeated command changes nothing, and gets the first answer',
  ...FORM_RULES,
} as const;

/** A command that was performed. */
interface Done<Command, Event> {
  readonly on: Name;
  readonly request: Request<Command>;
  readonly told: Told<Event>;
  /** The command in words. */
  readonly what: string;
}

/**
 * Runs one program against a session and the model, and throws a {@link Violation} at the first
 * difference.
 */
export class Run<State, Command, Event> {
  /** The number of steps run so far, without those that the target does not support. */
  steps = 0;
  readonly #domain: Domain<State, Command, Event>;
  readonly #session: Session<Command, Event>;
  readonly #initial: InitialState;
  /** The events that the model has recorded, by aggregate. */
  readonly #streams = new Map<Name, readonly Event[]>();
  readonly #done: Done<Command, Event>[] = [];

  /** @param initial Watches the model's initial state. */
  constructor(
    domain: Domain<State, Command, Event>,
    session: Session<Command, Event>,
    initial: InitialState,
  ) {
    this.#domain = domain;
    this.#session = session;
    this.#initial = initial;
  }

  async program({ steps }: Program<Command>): Promise<void> {
    for (const step of steps) this.steps += await this.#do(step);
    await this.#checkAll();
    if (this.#session.isIdempotent) await this.#repeatAll();
  }

  /** Returns 0 if the target does not support the step, and 1 otherwise. */
  async #do(step: Step<Command>): Promise<0 | 1> {
    switch (step.do) {
      case 'command':
        await this.#command(step);
        return 1;
      case 'look':
        return (await this.#checkView(step.on)) ? 1 : 0;
      case 'restart':
        if (this.#session.restart === undefined) return 0;
        await this.#session.restart();
        await under(RULES.restart, () => this.#checkAll());
        return 1;
    }
  }

  async #command({ on, command }: Extract<Step<Command>, { do: 'command' }>): Promise<void> {
    const what = printed(this.#domain, command, on);
    const commandId = `command-${this.#done.length + 1}`;
    const request = { id: this.#idOf(on), command, commandId, client: 0 };
    const told = await performIn(this.#session, request, what);
    this.#done.push({ on, request, told, what });
    const { model } = this.#domain;
    const before = this.#eventsOf(on);
    const expected = model.decide(command, rebuild(model, before));
    requireDecision(`the model's decision on ${what}`, expected);
    this.#initial.requireUnchanged();
    if (outcomeOf(told) !== outcomeOf(expected)) {
      const detail = `${what}: ${outcomeOf(told)}, and should be ${outcomeOf(expected)}`;
      throw new Violation(RULES.answer, detail);
    }
    if (told.kind === 'rejected' || expected.kind === 'rejected') return;
    const after = [...before, ...expected.events];
    this.#streams.set(on, after);
    if (told.events !== undefined) differ(RULES.recorded, what, told.events, expected.events);
    if (told.version !== undefined && told.version !== after.length) {
      const detail = `${what}: version ${told.version}, and should be ${after.length}`;
      throw new Violation(RULES.recorded, detail);
    }
  }

  /** Compares everything that can be read. */
  async #checkAll(): Promise<void> {
    for (const name of new Set(this.#done.map(({ on }) => on))) {
      const what = `the events of ${letterOf(name)}`;
      const events = await eventsOf(this.#session, this.#idOf(name), what);
      if (events !== undefined) differ(RULES.recorded, what, events, this.#eventsOf(name));
      await this.#checkView(name);
    }
  }

  /** Returns false if the target cannot be read. */
  async #checkView(name: Name): Promise<boolean> {
    if (this.#domain.view === undefined || this.#session.view === undefined) return false;
    const seen = await this.#session.view(this.#idOf(name));
    const state = rebuild(this.#domain.model, this.#eventsOf(name));
    differ(RULES.view, letterOf(name), seen, this.#domain.view(state));
    return true;
  }

  async #repeatAll(): Promise<void> {
    await under(RULES.repeat, async () => {
      for (const { request, told, what } of this.#done) {
        const again = await performIn(this.#session, request, `${what}, repeated`);
        if (outcomeOf(again) === outcomeOf(told)) continue;
        const detail = `${what}, repeated: ${outcomeOf(again)}, and was ${outcomeOf(told)}`;
        throw new Violation(RULES.repeat, detail);
      }
      await this.#checkAll();
    });
  }

  #eventsOf(name: Name): readonly Event[] {
    return this.#streams.get(name) ?? [];
  }

  #idOf(name: Name): string {
    return `${this.#domain.name}-${name + 1}`;
  }
}

/** Reports a violation under another rule: where it shows is not why it is one. */
async function under(rule: string, check: () => Promise<void>): Promise<void> {
  try {
    await check();
  } catch (error) {
    throw new Violation(rule, (error as Error).message);
  }
}

function differ(rule: string, what: string, actual: unknown, expected: unknown): void {
  if (isSame(actual, expected)) return;
  throw new Violation(rule, `${what}: ${asText(actual)}, and should be ${asText(expected)}`);
}

/** Returns a result in words. */
export function outcomeOf(told: Told<unknown>): string {
  return told.kind === 'accepted' ? 'accepted' : `refused as ${told.reason}`;
}

/** Returns a command to an aggregate in words. */
export function printed<Command>(domain: Commands<Command>, command: Command, on: Name): string {
  return `${letterOf(on)}: ${domain.print?.(command) ?? asText(command)}`;
}
