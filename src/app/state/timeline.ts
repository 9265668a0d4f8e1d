/**
 * The timeline of the log: the time of each event (8 bytes), and the positions of those that are
 * cancellations (4 bytes). It answers how many events of which type were recorded up to any moment
 * by two binary searches.
 */

import type { OrderEvent } from '../../domain/order.ts';
import type { PackedTimeline } from '../log/packed-fold.ts';
import { copied, firstIndex } from './columns.ts';

export class Timeline {
  /** By position from 1. Longer than the log; the rest is unspecified. */
  #times: Float64Array;
  #end: number;
  /** Ascending. Longer than the number of cancellations; the rest is unspecified. */
  #cancellations: Uint32Array;
  #cancelled: number;

  constructor(packed?: PackedTimeline) {
    this.#times = packed?.times ?? new Float64Array();
    this.#end = this.#times.length;
    this.#cancellations = packed?.cancellations ?? new Uint32Array();
    this.#cancelled = this.#cancellations.length;
  }

  /** Returns a copy, from which the same timeline can be made again. */
  pack(): PackedTimeline {
    return {
      times: this.#times.slice(0, this.#end),
      cancellations: this.#cancellations.slice(0, this.#cancelled),
    };
  }

  /** Adds the event at the next position. */
  add(position: number, at: number, type: OrderEvent['type']): void {
    if (position > this.#times.length) {
      this.#times = copied(this.#times, new Float64Array(Math.max(1_024, position * 2)));
    }
    this.#times[position - 1] = at;
    this.#end = position;
    if (type !== 'OrderCancelled') return;
    const index = this.#cancelled++;
    if (index === this.#cancellations.length) {
      const length = Math.max(1_024, index * 2);
      this.#cancellations = copied(this.#cancellations, new Uint32Array(length));
    }
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
