import type { EventFacts } from './event-facts.ts';
import { nextTurn } from './event-loop.ts';
import { factsOfLog } from './log-facts.ts';
import { type EventLogReader, UnreadableEvent } from './ports/event-log.ts';
import type { FactSource } from './ports/fact-source.ts';

/** A fold of the log that knows how far it has come. */
export interface Projection {
  readonly position: number;
  foldFacts(facts: EventFacts): void;
}

/** Above so many events at once, others get a turn of the event loop in between. */
const LONG_CHUNK = 256;

/** Keeps a projection up with the log, whoever appends to it. */
export class Projector {
  readonly #log: EventLogReader;
  readonly #facts: FactSource;
  readonly #projection: Projection;
  #current: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  /** @param facts The events of the log, where the engine has a faster way to them. */
  constructor(log: EventLogReader, projection: Projection, facts = factsOfLog(log)) {
    this.#log = log;
    this.#facts = facts;
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
    this.#next ??= this.#round(this.#current);
    return this.#next;
  }

  async #round(before: Promise<void> | undefined): Promise<void> {
    try {
      await before;
    } catch {
      // Those who have waited for it are told.
    }
    await nextTurn();
    this.#current = this.#next;
    this.#next = undefined;
    const head = await this.#log.head();
    while (this.#projection.position < head) {
      const { position } = this.#projection;
      const count = await this.#facts.next(position, (facts) => this.#take(facts, head));
      if (count === 0) throw new UnreadableEvent(position + 1, 'it is missing');
      if (count >= LONG_CHUNK) await nextTurn();
    }
  }

  // What stands behind the head is no part of the log: it may have been put there by others.
  #take(facts: EventFacts, head: number): boolean {
    // A writer that folds into it, too, may have been faster.
    const isNew = facts.position > this.#projection.position;
    if (isNew && facts.position <= head) this.#projection.foldFacts(facts);
    return facts.position < head;
  }
}
