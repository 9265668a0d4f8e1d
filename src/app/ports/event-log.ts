import type { NewEvent, RecordedEvent } from '../recorded-event.ts';
import type { Decided } from '../submission.ts';

/**
 * The port to the append-only log of all events: the only source of truth of the service.
 * Every engine behind it passes the suite in test/contract/event-log.ts.
 *
 * Positions are dense and start at 1; position 0 stands for "before the first event". A reader
 * that has seen position n has seen every event up to n: nothing is ever recorded behind it.
 */
export interface EventLog {
  /**
   * Events after a position, oldest first, in chunks of a size that suits the engine, up to the
   * head at the time of the last chunk. Throws {@link UnreadableEvent} at the first event that
   * this version of the service cannot understand: to skip it would be to answer wrongly.
   */
  read(after: number): AsyncIterable<readonly RecordedEvent[]>;

  /**
   * Takes the log's write lock, hands `decide` the events after `seen`, and appends what it
   * returns: all of it or none. So a decision is always made on the newest state, and two writers
   * can never both be right. An empty return appends nothing and is no failure. Outcomes that
   * `decide` keeps are recorded together with the events, or not at all.
   *
   * `asked` names the outcomes that `decide` may recall: an engine far away fetches them together
   * with the events, before it calls `decide`, which cannot wait.
   *
   * Resolves only when the events are durable, or with the reason why they are not. `decide` may
   * be called more than once if the engine has to try again, each time as if it were the first: what
   * it decided before is not recorded. What `decide` throws is thrown, and nothing is appended.
   */
  append(seen: number, decide: Decide, asked?: readonly OutcomeName[]): Promise<AppendResult>;

  /**
   * Whether one more append may follow one that is under way, without a wait for its result: `seen` is
   * then the end of what that one is to add, `decide` is called at once and knows of it, and nothing is
   * asked for. If that one is not recorded as it was decided, this one is not recorded at all, and is
   * told that it was `overtaken`. Absent where one append is always awaited before the next.
   */
  readonly takesMore?: boolean;

  /**
   * The position of the newest event; 0 where there is none. What nobody was told of yet it may leave
   * out for a moment (about 100 ms), and never what anybody was.
   */
  head(): Promise<number>;

  /**
   * Calls `grown` soon (within about 100 ms) after events were appended, by whomever: a hint for
   * those who keep up in the background, never a substitute for `head`. Returns what stops it.
   */
  watch(grown: () => void): () => void;

  /** Gives back what the log holds. An append under way is finished first. */
  close(): Promise<void>;
}

/** All that a projection may do with the log. */
export type EventLogReader = Omit<EventLog, 'append' | 'takesMore'>;

export type Decide = (newer: readonly RecordedEvent[], kept: KeptOutcomes) => readonly NewEvent[];

/** The outcomes of all commands that were submitted under an idempotency key. */
export interface KeptOutcomes {
  /**
   * What was kept for an asker and a key, also by the same call of `decide`. Only what was asked
   * for can be recalled.
   */
  recall(by: string, key: string): KeptOutcome | undefined;
  /** Keeps an outcome for as long as the log. Nothing may have been kept for its asker and key. */
  keep(outcome: KeptOutcome): void;
}

/** Who asked, and the key that they gave to what they asked for. */
export interface OutcomeName {
  readonly by: string;
  readonly key: string;
}

export interface KeptOutcome extends OutcomeName {
  /** Tells what was asked from whatever else could have been asked. */
  readonly fingerprint: string;
  readonly decided: Decided;
}

export type AppendResult =
  /** Durable. The events are those of `decide`, with their positions. */
  | { readonly kind: 'appended'; readonly events: readonly RecordedEvent[] }
  /** Certainly not recorded, because what it was decided on was not: to be decided again. */
  | { readonly kind: 'overtaken' }
  /** Certainly not recorded: the log could not be written at this time. Safe to ask again. */
  | { readonly kind: 'unavailable'; readonly cause: Error }
  /**
   * Recorded or not: nobody can tell at this time, because the commit itself failed. Whether the
   * log can go on is the engine's to say: see {@link Store.inDoubt}.
   */
  | { readonly kind: 'unknown'; readonly cause: Error };

/** The log holds an event of a type, version or shape that this version cannot understand. */
export class UnreadableEvent extends Error {
  readonly position: number;

  constructor(position: number, reason: string) {
    super(`event at position ${position} cannot be read: ${reason}`);
    this.name = 'UnreadableEvent';
    this.position = position;
  }
}
