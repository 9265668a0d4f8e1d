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

/** After a chunk of this size, others get a turn of the event loop. */
const LONG_CHUNK_EVENTS = 256;

export class Projector<Its extends Projection = Projection> {
  readonly #log: EventLogReader;
  readonly #source: FoldSource;
  readonly #projection: Its;
  #current: Promise<Its> | undefined;
  #next: Promise<Its> | undefined;

  /** @param source The events of the log, where the engine has a faster way to them. */
  constructor(log: EventLogReader, projection: Its, source = foldSourceOf(log)) {
    this.#log = log;
    this.#source = source;
    this.#projection = projection;
  }

  /**
   * Resolves to the projection when it holds every event that was durable when this was called:
   * whoever reads after it reads their own writes, and everybody else's.
   *
   * Callers share the work. One that comes while a round is under way waits for the next round,
   * because the present one may have read the head before the caller's event was recorded.
   * A round begins a turn of the event loop later, so that all requests which have arrived by then
   * join it: an engine's head may be a few system calls away, or a network.
   */
  catchUp(): Promise<Its> {
    this.#next ??= this.#round(this.#current);
    return this.#next;
  }

  async #round(before: Promise<Its> | undefined): Promise<Its> {
    try {
      await before;
    } catch {
      // Its own callers get the error.
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

  // Events behind the head are no part of the log: somebody else may have put them there.
  #take(input: FoldInput, head: number): boolean {
    // A writer that folds into the same projection may have been faster.
    const isNew = input.position > this.#projection.position;
    if (isNew && input.position <= head) this.#projection.foldInput(input);
    return input.position < head;
  }
}
