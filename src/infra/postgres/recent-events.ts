import type { RecordedEvent } from '../../app/recorded-event.ts';

/** How many are kept, at least: a projection that is further behind reads the database. */
const KEPT = 4_096;

/** The events that this instance has lately appended, or read to do so: it need not read them again. */
export class RecentEvents {
  /** They follow one another without a gap. */
  #events: RecordedEvent[] = [];

  /** Notes events that are durable, which is for ever. Unless they follow, it begins anew with them. */
  add(events: readonly RecordedEvent[]): void {
    const [first] = events;
    if (first === undefined) return;
    if (first.position !== (this.#events.at(-1)?.position ?? 0) + 1) this.#events = [];
    // Not as arguments: after an import there can be more of them than a call can have.
    for (const event of events) this.#events.push(event);
    if (this.#events.length > 2 * KEPT) this.#events = this.#events.slice(-KEPT);
  }

  /** Those after a position, if the first of them is there. */
  after(position: number): readonly RecordedEvent[] {
    const index = position + 1 - (this.#events[0]?.position ?? Infinity);
    return index < 0 ? [] : this.#events.slice(index);
  }
}
