import type { Decider } from './domain.ts';
import { Given, requireArray, requireTold, WatchedDecider } from './form.ts';
import { nothingChecked } from './violation.ts';

/**
 * The interface of a system under test: a decider, a store, a server. A target executes commands; its
 * other members are optional, and checked if present.
 */
export interface Target<Command, Event> {
  readonly name: string;
  /** Starts a new session, without aggregates that the kit has made. */
  open(): Session<Command, Event> | Promise<Session<Command, Event>>;
}

/** A command to an aggregate. */
export interface Request<Command> {
  /** The aggregate, by a text that is unique in the session: "loan-1". */
  readonly id: string;
  readonly command: Command;
  /** Unique for each command; the same again if a command is repeated. */
  readonly commandId: string;
  /** The index of the client, from 0. */
  readonly client: number;
}

/** A target's result for a command. Absent members are not checked. */
export type Told<Event> =
  | {
      readonly kind: 'accepted';
      /** The recorded events. */
      readonly events?: readonly Event[];
      /** The number of events of the aggregate, including these. */
      readonly version?: number;
    }
  | { readonly kind: 'rejected'; readonly reason: string };

export interface Session<Command, Event> {
  /** Throws if the result is unknown, such as for a lost answer. */
  perform(request: Request<Command>): Told<Event> | Promise<Told<Event>>;
  /** Returns what a reader sees of an aggregate, after all that was acknowledged: {@link Domain.view}. */
  view?(id: string): unknown;
  /** Returns the recorded events of an aggregate, the oldest first. */
  events?(id: string): readonly Event[] | Promise<readonly Event[]>;
  /** Ends like a killed process, and continues with the stored data. */
  restart?(): Promise<void>;
  close?(): void | Promise<void>;
  /** True if a repeated command id gets the first answer, and changes nothing, even if it is sent before that answer. */
  readonly isIdempotent?: boolean;
  /**
   * Returns true for an error of `perform` or `view` by which an answer was lost, such as a cut connection.
   * Beside other clients, every other error is a violation. Absent: all are lost answers but a TypeError
   * without a cause, a ReferenceError, a RangeError, an AssertionError, and, of two equal commands that are
   * sent at once of which one is answered, the error of the other one, unless it is one of a network.
   */
  isLost?(error: unknown): boolean;
}

/** Returns the command that a target is given, as it is before. */
export function commandGiven(command: unknown, what: string): Given {
  return new Given('the target', { [`the command of ${what}`]: command });
}

/**
 * Executes a command. Throws if the answer has another form, or the command is changed in place.
 * @param given The command as it was first given.
 */
export async function performIn<Command, Event>(
  session: Session<Command, Event>,
  request: Request<Command>,
  what: string,
  given = commandGiven(request.command, what),
): Promise<Told<Event>> {
  const told = await session.perform(request);
  requireTold(what, told);
  given.requireUnchanged();
  return told;
}

/** Returns the recorded events of an aggregate; `undefined` if the target has none. Throws if they are no array. */
export async function eventsOf<Command, Event>(
  session: Session<Command, Event>,
  id: string,
  what: string,
): Promise<readonly Event[] | undefined> {
  if (session.events === undefined) return undefined;
  const events = await session.events(id);
  requireArray(what, events);
  return events;
}

/** Returns a decider as a target: one state for each aggregate, without storage. */
export function deciderTarget<State, Command, Event>(
  name: string,
  decider: Decider<State, Command, Event>,
): Target<Command, Event> {
  const watched = new WatchedDecider('the decider', decider);
  return { name, open: () => new DeciderSession(watched) };
}

class DeciderSession<State, Command, Event> implements Session<Command, Event> {
  readonly #decider: WatchedDecider<State, Command, Event>;
  readonly #streams = new Map<string, readonly Event[]>();

  constructor(decider: WatchedDecider<State, Command, Event>) {
    this.#decider = decider;
  }

  perform({ id, command }: Request<Command>): Told<Event> {
    const before = this.events(id);
    // The state is rebuilt each time: that is how a store comes to it.
    const decision = this.#decider.decide('the decision', command, before);
    if (decision.kind === 'rejected') return decision;
    const after = [...before, ...decision.events];
    this.#streams.set(id, after);
    return { ...decision, version: after.length };
  }

  events(id: string): readonly Event[] {
    return this.#streams.get(id) ?? [];
  }
}

/** Throws unless a session's view can be compared with one of the domain. */
export function requireComparable(
  domain: { readonly view?: unknown },
  session: { readonly view?: unknown },
): void {
  if (session.view === undefined || domain.view !== undefined) return;
  throw nothingChecked('view', 'the session has one, and the domain none to compare it with');
}
