import { nextTurn } from './next-turn.ts';
import type { EventLogReader } from './ports/event-log.ts';
import type { RecordedEvent } from './recorded-event.ts';

/** A fold of the log that knows how far it has come. */
export interface Projection {
  readonly position: number;
  fold(event: RecordedEvent): void;
}

/** Above so many events at once, others get a turn of the event loop in between. */
const LONG_CHUNK = 256;

/** Keeps a projection up with the log, whoever appends to it. */
export class Projector {
  readonly #log: EventLogReader;
  readonly #projection: Projection;
  #current: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;

  constructor(log: EventLogReader, projection: Projection) {
    this.#log = log;
    this.#projection = projection;
  }

  /**
   * Resolves when the projection holds every event that was durable when this was called: whoever
   * reads after it reads their own writes, and everybody else's.
   *
   * Callers share the work. One that comes while a round is under way waits for the next round,
   * because the present one may have asked for the head before the caller's event was recorded.
   * A round begins a turn of the event loop later, so that all requests which have arrived by then
   * join it: an engine's head may be a few system calls away, or a network.
   */
  catchUp(): Promise<void> {
    this.#next ??= this.#current
      .catch(() => undefined)
      .then(nextTurn)
      .then(() => {
        this.#current = this.#next as Promise<void>;
        this.#next = undefined;
        return this.#round();
      });
    return this.#next;
  }

  async #round(): Promise<void> {
    if ((await this.#log.head()) === this.#projection.position) return;
    for await (const events of this.#log.read(this.#projection.position)) {
      for (const event of events) this.#projection.fold(event);
      if (events.length >= LONG_CHUNK) await nextTurn();
    }
  }
}
