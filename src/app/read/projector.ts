/** Keeps a projection up with the log: the one place that folds recorded events for readers. */
import { nextTurn } from '../event-loop.ts';
import type { FoldInput } from '../log/recorded-event.ts';
import { type EventLogReader, type FoldSource, UnreadableEvent } from '../ports/event-log.ts';
import { foldSourceOf } from './fold-source-of-log.ts';

/** A fold of the log, with the position of the last event that it holds. */
export interface Projection {
  readonly position: number;
  foldInput(input: FoldInput): void;
}

/** After a chunk of this size, other work gets a turn of the event loop. */
const LONG_CHUNK_EVENTS = 256;

export class Projector<Its extends Projection = Projection> {
  readonly #log: EventLogReader;
  readonly #source: FoldSource;
  readonly #projection: Its;
  #current: Promise<Its> | undefined;
  #next: Promise<Its> | undefined;

  /** @param source The events of the log, if the engine has a faster way to read them. */
  constructor(log: EventLogReader, projection: Its, source = foldSourceOf(log)) {
    this.#log = log;
    this.#source = source;
    this.#projection = projection;
  }

  /**
   * Resolves with the projection when it contains every event that was durable at the time of the
   * call, so that clients read their own writes and those of others.
   *
   * Concurrent callers share the work. A caller during a round waits for the next one, because the
   * present round may have read the head before the caller's event was recorded. Each round begins
   * one turn of the event loop later, so that all requests that have arrived by then share it:
   * reading the head takes a few system calls, or a round trip.
   */
  catchUp(): Promise<Its> {
    this.#next ??= this.#round(this.#current);
    return this.#next;
  }

  async #round(before: Promise<Its> | undefined): Promise<Its> {
    try {
      await before;
    } catch {
      // The callers of that round receive the error.
    }
    await nextTurn();
    this.#current = this.#next;
    this.#next = undefined;
    const head = await this.#log.head();
    while (this.#projection.position < head) {
      const { position } = this.#projection;
      const count = await this.#source.next(position, (input) => this.#take(input, head));
      if (count === 0) throw new UnreadableEvent(position + 1, 'it is missing');
      if (count >= LONG_CHUNK_EVENTS) await nextTurn();
    }
    return this.#projection;
  }

  // Rows behind the head are not part of the log: another program may have added them.
  #take(input: FoldInput, head: number): boolean {
    // A writer in this process may have folded the event already.
    const isNew = input.position > this.#projection.position;
    if (isNew && input.position <= head) this.#projection.foldInput(input);
    return input.position < head;
  }
}
