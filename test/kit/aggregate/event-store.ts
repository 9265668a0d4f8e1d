import { FORM_RULES } from './form.ts';

/** The interface of event stores under test: streams of events with optimistic concurrency. */

/** An event store under test. Its optional members are checked if present. */
export interface EventStore<Event> {
  /**
   * Appends events to a stream if it has `expected` events now: all of them or none. Resolves when
   * they are durable.
   * @param stream Any text. Streams are different if their names differ in anything.
   * @param commandId Unique for each append; the same again if an append is repeated, or decided anew after
   * a conflict or a lost answer.
   */
  append(
    stream: string,
    expected: number,
    events: readonly Event[],
    commandId: string,
  ): Promise<Appended>;
  /** Returns the events of a stream, the oldest first. */
  read(stream: string): Promise<readonly Event[]>;
  /**
   * Returns the events of all streams in the order of their positions. Once an event is read, its position
   * stays: it is where followers of the log go on.
   */
  readAll?(): Promise<readonly Stored<Event>[]>;
  /** Ends like a killed process, and opens the stored data again. */
  reopen?(): Promise<EventStore<Event>>;
  close?(): Promise<void>;
  /**
   * True if an append with the command id of a recorded one records nothing, and gets the first answer, whatever
   * its events and its expected version are. The id of a conflict may be recorded later, or be a conflict again.
   */
  readonly isIdempotent?: boolean;
}

export type Appended =
  /** `version` is the number of events of the stream, including these. */
  { readonly kind: 'appended'; readonly version: number } | { readonly kind: 'conflict' };

export interface Stored<Event> {
  /** From 1, without gaps. */
  readonly position: number;
  readonly stream: string;
  readonly event: Event;
}

/** The rules that are checked, by their names in reports. */
export const STORE_RULES = {
  append: 'an append to the expected version is recorded, in order',
  conflict: 'an append to another version is a conflict, and records nothing',
  one: 'of concurrent appends to one version, one is recorded',
  whole: 'a reader sees all events of an append or none',
  repeat: 'a repeated append records nothing, and gets the first answer',
  restart: 'what was appended outlives a restart',
  positions: 'positions are dense and never change, and each stream is in its order',
  pure: FORM_RULES.pure,
  form: FORM_RULES.form,
} as const;
