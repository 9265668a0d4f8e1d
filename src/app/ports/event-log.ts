/** The port to the append-only log of all events, the only source of truth of the service. */

import type { FoldInput, NewEvent, RecordedEvent } from '../log/recorded-event.ts';
import type { Decided } from '../log/submission.ts';

/**
 * The log. Every engine behind this port passes the suite in test/contract/event-log.ts.
 *
 * Positions are dense and start at 1; position 0 stands for "before the first event". A reader
 * that has seen position n has seen every event up to n: nothing is ever recorded behind it.
 */
export interface EventLog {
  /**
   * Yields the events after a position, oldest first, in chunks of a size that suits the engine, up
   * to the head at the time of the last chunk. Throws {@link UnreadableEvent} at the first event
   * that this version cannot understand: without it, every answer could be wrong.
   */
  read(after: number): AsyncIterable<readonly RecordedEvent[]>;

  /**
   * Takes the log's write lock, passes the events after `seen` to `decide`, and appends those that
   * it returns: all or none. So a decision is always made on the newest state, and of two
   * conflicting decisions at most one is recorded. An empty return appends nothing and is no
   * failure. Outcomes that `decide` keeps are recorded together with the events, or not at all.
   *
   * `names` are those of the outcomes that `decide` may recall: a remote engine reads them together
   * with the events, before it calls `decide`, which cannot wait.
   *
   * Resolves only when the events are durable, or with the reason why they are not. `decide` may be
   * called again if the engine has to try again, each time as if it were the first: its earlier
   * decisions are not recorded. Throws, and appends nothing, if `decide` throws.
   */
  append(seen: number, decide: Decide, names?: readonly OutcomeName[]): Promise<AppendResult>;

  /**
   * True while appends can be pipelined: a second may be sent before the result of the first. Its
   * `seen` is then the position that the first is about to reach, it has no `names`, and `decide`
   * is called at once. If the first is not recorded as it was decided, the second is not recorded
   * at all and its result is `overtaken`. Absent if every append is awaited before the next.
   */
  readonly takesMore?: boolean;

  /**
   * Returns the position of the newest event; 0 where there is none. May lag by up to about 100 ms,
   * but never behind an event that was acknowledged to a client, nor behind a head that was returned
   * before, to whichever instance: otherwise a later list could forget what an earlier one has shown.
   * Nor behind what this log or its trail has returned: who has read an event finds it everywhere.
   */
  head(): Promise<number>;

  /**
   * Calls `grown` within about 100 ms after events were appended, by this or another process: a
   * hint for background work, never a substitute for `head`. Returns a function that ends the
   * watch.
   */
  watch(grown: () => void): () => void;

  /** Releases the log's resources, after the appends in flight. */
  close(): Promise<void>;
}

/** The part of the log that projections use. */
export type EventLogReader = Omit<EventLog, 'append' | 'takesMore'>;

/**
 * The port to a log that is read only to be folded: millions of events, without their metadata. It
 * hands over the same events as {@link EventLog.read}.
 */
export interface FoldSource {
  /**
   * Hands the next events after a position to `take`, oldest first, in a number that suits the
   * engine, until there are no more or `take` returns false. Returns the number handed over: 0 at
   * the head. The object that `take` is given may be the same each time, so it must not be stored.
   * Throws {@link UnreadableEvent} at an event that this version cannot understand.
   */
  next(after: number, take: (input: FoldInput) => boolean): Promise<number>;

  /** Ends what reads in the background; absent: nothing does. */
  close?(): Promise<void>;
}

export type Decide = (newer: readonly RecordedEvent[], kept: KeptOutcomes) => readonly NewEvent[];

/** The recorded outcomes of all commands that had an idempotency key. */
export interface KeptOutcomes {
  /**
   * Returns the outcome recorded under a key of a client, also by the same call of `decide`. Only
   * the `names` of the append can be recalled.
   */
  recall(by: string, key: string): KeptOutcome | undefined;
  /** Records an outcome for as long as the log. There must be none under its name yet. */
  keep(outcome: KeptOutcome): void;
}

/** A client, by the id of its API key, and the idempotency key of its command. */
export interface OutcomeName {
  readonly by: string;
  readonly key: string;
}

export interface KeptOutcome extends OutcomeName {
  /** Differs for every other command that could have been submitted under the same key. */
  readonly fingerprint: string;
  readonly decided: Decided;
}

export type AppendResult =
  /** Durable: the events of `decide`, with their positions. */
  | { readonly kind: 'appended'; readonly events: readonly RecordedEvent[] }
  /**
   * Certainly not recorded, because the events that it was decided on were not. Decide it again.
   */
  | { readonly kind: 'overtaken' }
  /** Certainly not recorded: the log cannot be written now. Safe to retry. */
  | { readonly kind: 'unavailable'; readonly cause: Error }
  /**
   * Recorded or not: the commit itself failed. {@link Store.inDoubt} states if appends may go on.
   */
  | { readonly kind: 'unknown'; readonly cause: Error };

/** Thrown for an event of a type, version or shape that this version cannot understand. */
export class UnreadableEvent extends Error {
  readonly position: number;

  constructor(position: number, reason: string) {
    super(`event at position ${position} cannot be read: ${reason}`);
    this.name = 'UnreadableEvent';
    this.position = position;
  }
}
