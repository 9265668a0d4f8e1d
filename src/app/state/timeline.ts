/**
 * The timeline of the log: the time of each event (8 bytes), and the positions of those that are
 * cancellations (4 bytes). It answers how many events of which type were recorded up to any moment
 * by two binary searches.
 */

import type { OrderEvent } from '../../domain/order.ts';
import type { PackedTimeline } from '../log/packed-fold.ts';
import { columnOf, copied, firstIndex, grown } from './columns.ts';

export class Timeline {
  /** By position from 1. */
  #times: Float64Array<ArrayBuffer>;
  #end: number;
  /** Ascending. */
  #cancellations: Uint32Array<ArrayBuffer>;
  #cancelled: number;

  constructor(packed?: PackedTimeline) {
    this.#times = packed?.times ?? columnOf(Float64Array<ArrayBuffer>);
    this.#end = this.#times.length;
    this.#cancellations = packed?.cancellations ?? columnOf(Uint32Array<ArrayBuffer>);
    this.#cancelled = this.#cancellations.length;
  }

  /** Returns a copy, from which the same timeline can be made again. */
  pack(): PackedTimeline {
    return {
      times: copied(this.#times, this.#end),
      cancellations: copied(this.#cancellations, this.#cancelled),
    };
  }

  /** Adds the event at the next position. */
  add(position: number, at: number, type: OrderEvent['type']): void {
    if (position > this.#times.length) this.#times = grown(this.#times);
    this.#times[position - 1] = at;
    this.#end = position;
    if (type !== 'OrderCancelled') return;
    const index = this.#cancelled++;
    if (index === this.#cancellations.length) this.#cancellations = grown(this.#cancellations);
    this.#cancellations[index] = position;
  }

  /** Returns the time of the event at a position, in milliseconds since 1970; NaN at position 0. */
  timeAt(position: number): number {
    return this.#times[position - 1] ?? Number.NaN;
  }

  /** Returns the number of events recorded before a time, in milliseconds since 1970. */
  eventsBefore(ms: number): number {
    return firstIndex(this.#end, (index) => (this.#times[index] as number) >= ms);
  }

  /** Returns the number of cancellations up to a position. */
  cancellationsAt(position: number): number {
    const isLater = (index: number) => (this.#cancellations[index] as number) > position;
    return firstIndex(this.#cancelled, isLater);
  }
}
