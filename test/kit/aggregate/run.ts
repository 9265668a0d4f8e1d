import type { Commands, Domain } from './domain.ts';
import { FORM_RULES, type Given, plainValue, type WatchedDecider } from './form.ts';
import { letterOf, type Name, type Program, type Step } from './program.ts';
import type { Progress } from './progress.ts';
import {
  commandGiven,
  eventsOf,
  performIn,
  type Request,
  requireComparable,
  type Session,
  type Told,
} from './target.ts';
import { apart, asText, isSame, notDue } from './text.ts';
import { brokenBy, causeIn, Violation } from './violation.ts';

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
interface Done<Command> {
  readonly on: Name;
  readonly request: Request<Command>;
  /** The answer as it was then. */
  readonly told: Answer;
  /** The command in words. */
  readonly what: string;
  readonly given: Given;
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
  readonly #model: WatchedDecider<State, Command, Event>;
  /** The events that the model has recorded, by aggregate. */
  readonly #streams = new Map<Name, readonly Event[]>();
  readonly #done: Done<Command>[] = [];
  readonly #progress: Progress;

  /** @param model The domain's. */
  constructor(
    domain: Domain<State, Command, Event>,
    session: Session<Command, Event>,
    model: WatchedDecider<State, Command, Event>,
    progress: Progress,
  ) {
    requireComparable(domain, session);
    this.#domain = domain;
    this.#session = session;
    this.#model = model;
    this.#progress = progress;
  }

  async program({ steps }: Program<Command>): Promise<void> {
    for (const step of steps) {
      this.#progress.steps += 1;
      this.steps += await this.#do(step);
    }
    await this.#checkAll();
    if (this.#session.isIdempotent) await this.#repeatAll();
    // A target may change a command later on, such as with the event that it is in.
    for (const { given } of this.#done) given.requireUnchanged();
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
        this.#progress.calls('restart');
        await this.#session.restart();
        await under(RULES.restart, () => this.#checkAll());
        return 1;
    }
  }

  async #command({ on, command }: Extract<Step<Command>, { do: 'command' }>): Promise<void> {
    const what = printed(this.#domain, command, on);
    const commandId = `command-${this.#done.length + 1}`;
    const request = { id: this.#idOf(on), command, commandId, client: 0 };
    const before = this.#eventsOf(on);
    this.#progress.calls('the model', what);
    // The model decides first: a target may change the command in place.
    const expected = this.#model.decide(`the model's decision on ${what}`, command, before);
    const given = commandGiven(command, what);
    this.#progress.calls('perform', what);
    const told = await performIn(this.#session, request, what, given);
    this.#done.push({ on, request, told: answerIn(told), what, given });
    if (outcomeOf(told) !== outcomeOf(expected)) {
      const detail = `${what}: ${notDue(outcomeOf(told), outcomeOf(expected))}`;
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
      this.#progress.calls('events', letterOf(name));
      const events = await eventsOf(this.#session, this.#idOf(name), what);
      if (events !== undefined) differ(RULES.recorded, what, events, this.#eventsOf(name));
      await this.#checkView(name);
    }
  }

  /** Returns false if the target cannot be read. */
  async #checkView(name: Name): Promise<boolean> {
    if (this.#domain.view === undefined || this.#session.view === undefined) return false;
    this.#progress.calls('view', letterOf(name));
    const seen = await this.#session.view(this.#idOf(name));
    const due = this.#domain.view(this.#model.rebuild(this.#eventsOf(name)));
    differ(RULES.view, letterOf(name), seen, plainValue("what the domain's view returns", due));
    return true;
  }

  async #repeatAll(): Promise<void> {
    await under(RULES.repeat, async () => {
      for (const { request, told, what, given } of this.#done) {
        this.#progress.calls('perform', `${what}, repeated`);
        const again = await performIn(this.#session, request, `${what}, repeated`, given);
        requireSameAnswer(what, answerIn(again), told);
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

/** The members of an answer as texts; those that it does not tell are undefined. */
type Answer = Readonly<Record<'outcome' | 'events' | 'version', string | undefined>>;

export function answerIn(told: Told<unknown>): Answer {
  const { events, version } = told.kind === 'accepted' ? told : {};
  return {
    outcome: outcomeOf(told),
    events: events && asText(events),
    version: version === undefined ? undefined : `version ${version}`,
  };
}

/** Throws a {@link Violation} unless a repeated command has got the first answer, as far as both tell it. */
export function requireSameAnswer(what: string, again: Answer, first: Answer): void {
  for (const member of ['outcome', 'events', 'version'] as const) {
    const [now, before] = [again[member], first[member]];
    if (now === undefined || before === undefined || now === before) continue;
    const [one, other] = apart(now, before);
    throw new Violation(RULES.repeat, `${what}, repeated: ${one}, and was ${other}`);
  }
}

/** Reports a violation under another rule: where it shows is not why it is one. */
async function under(rule: string, check: () => Promise<void>): Promise<void> {
  try {
    await check();
  } catch (error) {
    const broken = brokenBy(error);
    throw new Violation(rule, broken.detail, undefined, causeIn(broken));
  }
}

function differ(rule: string, what: string, actual: unknown, expected: unknown): void {
  if (isSame(actual, expected)) return;
  throw new Violation(rule, `${what}: ${notDue(asText(actual), asText(expected))}`);
}

/** Returns a result in words. */
export function outcomeOf(told: Told<unknown>): string {
  return told.kind === 'accepted' ? 'accepted' : `refused as ${told.reason}`;
}

/** Returns a command to an aggregate in words. */
export function printed<Command>(domain: Commands<Command>, command: Command, on: Name): string {
  return `${letterOf(on)}: ${inWords(domain, command)}`;
}

function inWords<Command>(domain: Commands<Command>, command: Command): string {
  try {
    return domain.print?.(command) ?? asText(command);
  } catch {
    // A mistake in the words must not hide the counterexample that they are for.
    return asText(command);
  }
}
