/**
 * The checks of what a user's code returns and does, so that a mistake in it is named: a target's answers,
 * a decider's decisions and states.
 */

import type { Decider } from './domain.ts';
import { asText } from './text.ts';
import { Violation } from './violation.ts';

/** The rules of users' code, by their names in reports. */
export const FORM_RULES = {
  form: 'every answer has its form',
  pure: 'to decide and to evolve changes nothing that is given',
} as const;

const TOLD = "{ kind: 'accepted' }, or { kind: 'rejected', reason }";
const DECISION = "{ kind: 'accepted', events: […] }, or { kind: 'rejected', reason }";
const APPENDED = "{ kind: 'appended', version }, or { kind: 'conflict' }";

/** Throws a {@link Violation} unless a value is what a target can tell. */
export function requireTold(what: string, told: unknown): void {
  const { kind, events, version, reason } = membersOf(told);
  const isAccepted =
    kind === 'accepted' && isAbsentOr(Array.isArray, events) && isAbsentOr(isNumber, version);
  if (!isAccepted && !isRejected(kind, reason)) throw misformed(what, told, TOLD);
}

/** Throws a {@link Violation} unless a value is a decision. */
export function requireDecision(what: string, decision: unknown): void {
  const { kind, events, reason } = membersOf(decision);
  const isAccepted = kind === 'accepted' && Array.isArray(events);
  if (!isAccepted && !isRejected(kind, reason)) throw misformed(what, decision, DECISION);
}

/** Throws a {@link Violation} unless a value is what an event store can answer to an append. */
export function requireAppended(what: string, appended: unknown): void {
  const { kind, version } = membersOf(appended);
  const isRight = kind === 'conflict' || (kind === 'appended' && isNumber(version));
  if (!isRight) throw misformed(what, appended, APPENDED);
}

/** Throws a {@link Violation} unless a value is an array. */
export function requireArray(what: string, value: unknown): void {
  if (!Array.isArray(value)) throw misformed(what, value, 'an array');
}

/**
 * Watches the initial state of a decider. Every aggregate begins with it, so a decider that changes it in
 * place, instead of returning another one, decides on what happened to other aggregates.
 */
export class InitialState {
  readonly #whose: string;
  readonly #decider: Pick<Decider<unknown, never, never>, 'initial'>;
  readonly #before: string | undefined;

  /** @param whose The decider, as in "the model". */
  constructor(whose: string, decider: Pick<Decider<unknown, never, never>, 'initial'>) {
    this.#whose = whose;
    this.#decider = decider;
    this.#before = textIfSeen(decider.initial);
  }

  /** Throws a {@link Violation} if the state is no longer as it was. */
  requireUnchanged(): void {
    const now = textIfSeen(this.#decider.initial);
    if (now === this.#before) return;
    const detail = `${this.#whose} has changed its initial state from ${this.#before} to ${now}`;
    throw new Violation(FORM_RULES.pure, `${detail}: evolve must return a new state`);
  }
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return Object(value);
}

function isRejected(kind: unknown, reason: unknown): boolean {
  return kind === 'rejected' && typeof reason === 'string';
}

function isNumber(value: unknown): boolean {
  return typeof value === 'number';
}

function isAbsentOr(isRight: (value: unknown) => boolean, value: unknown): boolean {
  return value === undefined || isRight(value);
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
