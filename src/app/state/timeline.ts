/**
 * The timeline of the log: the time of each event, and the positions of those that are
 * cancellations. It answers how many events of which type were recorded up to any moment
 * by two binary searches.
 */

import type { OrderEvent } from '../../domain/order.ts';
import type { PackedTimeline } from '../log/packed-fold.ts';
import { Column } from './column.ts';
import { firstIndex } from './first-index.ts';

export class Timeline {
  /** The time of the event at a position, at the position less 1. */
  readonly #times: Column;
  /** Ascending. */
  readonly #cancellations: Column;

  constructor(packed?: PackedTimeline) {
    this.#times = new Column(packed?.times);
    this.#cancellations = new Column(packed?.cancellations);
  }

  /** Returns a copy, from which the same timeline can be made again. */
  pack(): PackedTimeline {
    return { times: this.#times.pack(), cancellations: this.#cancellations.pack() };
  }

  /** Adds the event at the next position. */
  add(position: number, at: number, type: OrderEvent['type']): void {
    this.#times.set(position - 1, at);
    if (type === 'OrderCancelled') this.#cancellations.set(this.#cancellations.length, position);
  }

  /** Returns the time of the event at a position, in milliseconds since 1970; NaN at position 0. */
  timeAt(position: number): number {
    return position === 0 ? Number.NaN : this.#times.get(position - 1);
  }

  /** Returns the number of events recorded before a time, in milliseconds since 1970. */
  eventsBefore(ms: number): number {
    return firstIndex(this.#times.length, (index) => this.#times.get(index) >= ms);
  }

  /**
   * Returns the number of events of each type up to a position. Positions are dense, so the events
   * of one type are those of no other.
   * @param placed The number of those that placed an order.
   */
  countsAt(position: number, placed: number): Readonly<Record<OrderEvent['type'], number>> {
    const isLater = (index: number) => this.#cancellations.get(index) > position;
    const cancelled = firstIndex(this.#cancellations.length, isLater);
    return {
      OrderPlaced: placed,
      OrderShipped: position - placed - cancelled,
      OrderCancelled: cancelled,
    };
  }
}
