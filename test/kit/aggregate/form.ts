/**
 * The checks of what a user's code returns and does, so that a mistake in it is named: a target's answers,
 * a decider's decisions and states.
 */

import type { Decider, Decision } from './domain.ts';
import { asText, copyOf } from './text.ts';
import { Violation } from './violation.ts';

/** The rules of users' code, by their names in reports. */
export const FORM_RULES = {
  form: 'every answer has its form',
  pure: 'to decide and to evolve changes nothing that is given',
} as const;

/** The members of answers that are not their kind, with what each of them is. */
const MEMBERS: Readonly<
  Record<string, readonly [isRight: (value: unknown) => boolean, due: string]>
> = {
  events: [Array.isArray, 'an array'],
  version: [isNumber, 'a number'],
  reason: [isText, 'a text'],
};

/** The kinds of an answer, with the members that each of them must have, and those that it may have. */
type Kinds = Readonly<Record<string, { readonly must?: string; readonly may?: readonly string[] }>>;

const TOLD_KINDS: Kinds = {
  accepted: { may: ['events', 'version'] },
  rejected: { must: 'reason' },
};
const DECISION_KINDS: Kinds = { accepted: { must: 'events' }, rejected: { must: 'reason' } };
const APPENDED_KINDS: Kinds = { appended: { must: 'version' }, conflict: {} };

const TOLD = "{ kind: 'accepted' }, or { kind: 'rejected', reason }";
const DECISION = "{ kind: 'accepted', events: […] }, or { kind: 'rejected', reason }";
const APPENDED = "{ kind: 'appended', version }, or { kind: 'conflict' }";

/** Throws a {@link Violation} unless a value is what a target can tell. */
export function requireTold(what: string, told: unknown): void {
  requireKind(what, told, TOLD_KINDS, TOLD);
}

/** Throws a {@link Violation} unless a value is a decision. */
function requireDecision(what: string, decision: unknown): void {
  requireKind(what, decision, DECISION_KINDS, DECISION);
}

/** Throws a {@link Violation} unless a value is what an event store can answer to an append. */
export function requireAppended(what: string, appended: unknown): void {
  requireKind(what, appended, APPENDED_KINDS, APPENDED);
}

/** Throws a {@link Violation} unless a value is of one of the kinds. Names the first wrong member, if its kind is right. */
function requireKind(what: string, value: unknown, kinds: Kinds, due: string): void {
  const members = membersOf(value);
  const kind = String(members.kind);
  if (!Object.hasOwn(kinds, kind)) throw misformed(what, value, due);
  const { must, may = [] } = kinds[kind] ?? {};
  for (const name of [must ?? [], may].flat()) {
    const [isRight, dueMember] = MEMBERS[name] as (typeof MEMBERS)[string];
    const isAbsent = name !== must && members[name] === undefined;
    if (isAbsent || isRight(members[name])) continue;
    throw misformed(what, value, `${due}: its ${name} should be ${dueMember}`);
  }
}

/** Throws a {@link Violation} unless a value is an event of the whole log. */
export function requireStored(what: string, stored: unknown): void {
  const { position, stream } = membersOf(stored);
  if (isNumber(position) && isText(stream) && 'event' in membersOf(stored)) return;
  throw misformed(what, stored, '{ position, stream, event }');
}

/** Throws a {@link Violation} unless a value has some methods. */
export function requireMethods(what: string, value: unknown, names: readonly string[]): void {
  if (names.every((name) => typeof membersOf(value)[name] === 'function')) return;
  throw misformed(what, value, `an object with ${names.join(' and ')}`);
}

/**
 * Returns a value that a user's code has given. Throws a {@link Violation} if it is a promise.
 * @param what What has given it, as in "the model's evolve".
 */
export function plainValue<Value>(what: string, value: Value): Value {
  if (!isPromise(value)) return value;
  const detail = `${what} is a promise, and should be a value: nothing waits for it`;
  throw new Violation(FORM_RULES.form, detail);
}

/** Returns true for a promise, of whichever class and realm. */
function isPromise(value: unknown): boolean {
  return typeof value === 'object' && value !== null && typeof membersOf(value).then === 'function';
}

/** Returns true for a value with a promise anywhere in it. */
function holdsPromise(value: unknown, around: readonly unknown[] = []): boolean {
  if (isPromise(value)) return true;
  if (typeof value !== 'object' || value === null || around.includes(value)) return false;
  const items = value instanceof Map || value instanceof Set ? [...value] : [];
  return [...items, ...Object.values(value)].some((each) => holdsPromise(each, [...around, value]));
}

/** Throws a {@link Violation} unless a value is an array. */
export function requireArray(what: string, value: unknown): void {
  if (!Array.isArray(value)) throw misformed(what, value, 'an array');
}

/**
 * A value as it was: a plain object of plain members as a copy, any other value as its text. With texts
 * alone, the kit takes 2.7 times as long.
 */
type Before = Readonly<Record<string, unknown>> | string | undefined;

function beforeOf(value: unknown): Before {
  return isFlat(value) ? { ...value } : textIfSeen(value);
}

/** Returns true for a plain object without objects in it, and without names that are symbols. */
function isFlat(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false;
  if (Object.getPrototypeOf(value) !== Object.prototype) return false;
  if (Object.getOwnPropertySymbols(value).length > 0) return false;
  return Object.values(value).every((member) => Object(member) !== member);
}

/** Returns true if a value has the same members as a copy that was made of it. */
function isSameFlat(value: unknown, before: Readonly<Record<string, unknown>>): boolean {
  if (!isFlat(value)) return false;
  const names = Object.keys(before);
  return (
    Object.keys(value).length === names.length &&
    names.every((name) => Object.hasOwn(value, name) && Object.is(value[name], before[name]))
  );
}

/** Values that were given to a user's code, as they were then. */
export class Given {
  readonly #whose: string;
  readonly #values: readonly (readonly [name: string, value: unknown, before: Before])[];

  /**
   * @param whose Who has them now, as in "the model".
   * @param values By their names, as in "the command".
   */
  constructor(whose: string, values: Readonly<Record<string, unknown>>) {
    this.#whose = whose;
    this.#values = Object.entries(values).map(([name, value]) => [name, value, beforeOf(value)]);
  }

  /** Returns true if all of them are as they were. */
  isUnchanged(): boolean {
    return this.#values.every(([, value, before]) => {
      return typeof before === 'object' ? isSameFlat(value, before) : textIfSeen(value) === before;
    });
  }

  /** Throws a {@link Violation} if one of them is no longer as it was, or has a promise in it. */
  requireUnchanged(): void {
    for (const [name, value, before] of this.#values) {
      if (before === undefined && holdsPromise(value)) {
        const detail = `${this.#whose}: ${name} has a promise in it: only plain values are compared`;
        throw new Violation(FORM_RULES.form, detail);
      }
      const isCopy = typeof before === 'object';
      if (isCopy && isSameFlat(value, before)) continue;
      const [then, now] = [isCopy ? textIfSeen(before) : before, textIfSeen(value)];
      if (now === then) continue;
      const detail = `${this.#whose} has changed ${name} from ${then} to ${now}`;
      throw new Violation(FORM_RULES.pure, `${detail}: it must make new values instead`);
    }
  }
}

/**
 * A decider that is watched: it must change nothing in place. Every aggregate begins with the same initial
 * state, so a decider that changes that one decides on what happened to other aggregates; and a changed
 * command or event is compared with itself. Once the initial state is changed, aggregates begin with copies of
 * what it was: otherwise every program would fail from then on, and none would show which command changes it.
 */
export class WatchedDecider<State, Command, Event> {
  readonly #whose: string;
  readonly #decider: Decider<State, Command, Event>;
  /** The initial state as it was at first, as a copy. */
  readonly #first: State;
  /** The copy that stands for the initial state, once that is changed. */
  #copy: State | undefined;
  #initial: Given;

  /** @param whose The decider, as in "the model". */
  constructor(whose: string, decider: Decider<State, Command, Event>) {
    this.#whose = whose;
    this.#decider = decider;
    this.#first = copyOf(decider.initial);
    this.#initial = this.#given({ 'its initial state': decider.initial });
  }

  /**
   * Decides a command after some events, and evolves the state by the new ones.
   * @param what Names the decision in messages.
   */
  decide(what: string, command: Command, events: readonly Event[]): Decision<Event> {
    return this.step(what, command, this.rebuild(events)).decision;
  }

  /** The state of every new aggregate. */
  get initial(): State {
    if (!this.#initial.isUnchanged()) {
      this.#copy = copyOf(this.#first);
      this.#initial = this.#given({ 'its initial state': this.#copy });
    }
    return plainValue(`the initial state of ${this.#whose}`, this.#copy ?? this.#decider.initial);
  }

  /** Returns the state after some events. */
  rebuild(events: Iterable<Event>): State {
    let state = this.initial;
    for (const event of events) state = this.#evolve(state, event);
    return state;
  }

  #evolve(state: State, event: Event): State {
    return plainValue(`what evolve of ${this.#whose} returns`, this.#decider.evolve(state, event));
  }

  /** The same in a state. Returns the state afterwards, too. */
  step(
    what: string,
    command: Command,
    before: State,
  ): { readonly decision: Decision<Event>; readonly state: State } {
    const given = [this.#given({ 'the command': command, 'a state': before })];
    const decision = this.#decider.decide(command, before);
    requireDecision(what, decision);
    let state = before;
    for (const event of decision.kind === 'accepted' ? decision.events : []) {
      given.push(this.#given({ 'an event': event, ...(state !== before && { 'a state': state }) }));
      state = this.#evolve(state, event);
    }
    for (const each of [this.#initial, ...given]) each.requireUnchanged();
    return { decision, state };
  }

  #given(values: Readonly<Record<string, unknown>>): Given {
    return new Given(this.#whose, values);
  }
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return Object(value);
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

function isNumber(value: unknown): boolean {
  return typeof value === 'number';
}

function misformed(what: string, value: unknown, due: string): Violation {
  const shown = textIfSeen(value) ?? Object.prototype.toString.call(value);
  return new Violation(FORM_RULES.form, `${what}: ${shown}, and should be ${due}`);
}

/** Returns the text of a value; `undefined` if its content cannot be seen. */
function textIfSeen(value: unknown): string | undefined {
  try {
    return asText(value);
  } catch {
    return undefined;
  }
}
