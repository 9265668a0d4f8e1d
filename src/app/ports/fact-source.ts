import type { EventFacts } from '../event-facts.ts';

/**
 * The port to a log that is read only to be folded, where millions of events are to be taken in and
 * nobody looks at who recorded them. It hands over the same events as {@link EventLog.read}.
 */
export interface FactSource {
  /**
   * Hands the next events after a position to `take`, oldest first and as many as suit the engine,
   * until there are no more or `take` returns false. Tells how many it has handed over: 0 at the
   * head. The facts may be the same object each time: to be read, and not kept. Throws
   * {@link UnreadableEvent} when it comes to an event that this version cannot understand.
   */
  next(after: number, take: (facts: EventFacts) => boolean): Promise<number>;
}
