/** The columns of the image, and the meaning of their entries. */

import {
  CANCEL_REASONS,
  type CancelReason,
  type OrderEvent,
  type OrderState,
  order,
} from '../../domain/order.ts';
import type { PackedImage } from '../log/packed-fold.ts';
import { EVENT_TYPES } from '../log/recorded-event.ts';
import { Column } from './column.ts';

/** The status of an order that was placed. */
export type OrderStatus = Exclude<OrderState['status'], 'none'>;

/** Every status, at the index that stands for it in a column. */
export const STATUSES = ['pending', 'shipped', 'cancelled'] as const satisfies OrderStatus[];

/** One entry for each order, at its slot. */
export interface ImageColumns {
  /** The index of the status in {@link STATUSES}, and above its bits that of the reason in {@link REASONS}. */
  readonly statuses: Column;
  /** The date on which it has shipped, in milliseconds since 1970; NaN before. */
  readonly shipDates: Column;
  /** The position of its first event less its slot: the number of events before that placed none. */
  readonly placedPositions: Column;
  /** The position of its second event; NaN before. */
  readonly endPositions: Column;
}

/** Every reason of a cancellation, and none, each at the index that stands for it in a column. */
const REASONS: readonly (CancelReason | undefined)[] = [undefined, ...CANCEL_REASONS];

const STATUS_BITS = 2;
const STATUS_MASK = 2 ** STATUS_BITS - 1;

/** Returns the columns of an image that was packed, or of an empty one. */
export function imageColumns(packed?: PackedImage['columns']): ImageColumns {
  return {
    statuses: new Column(packed?.statuses),
    shipDates: new Column(packed?.shipDates, 'sparse'),
    placedPositions: new Column(packed?.placedPositions),
    endPositions: new Column(packed?.endPositions, 'sparse'),
  };
}

/** Returns the position of the event that placed the order at a slot. */
export function placedPosition({ placedPositions }: ImageColumns, slot: number): number {
  return placedPositions.get(slot) + slot;
}

/** The index of the status after an event of each type, whatever the status was before. */
export const STATUS_AFTER = Object.fromEntries(
  EVENT_TYPES.map((type) => [type, STATUSES.indexOf(statusAfter(type))]),
) as Readonly<Record<OrderEvent['type'], number>>;

/** Returns the status of an order after an event of a type. */
export function statusAfter(type: OrderEvent['type']): OrderStatus {
  return order.evolve(order.initial, { type } as OrderEvent).status as OrderStatus;
}

/** Returns the entry of {@link ImageColumns.statuses} after an event. */
export function statusEntry(type: OrderEvent['type'], reason: CancelReason | undefined): number {
  return STATUS_AFTER[type] | (REASONS.indexOf(reason) << STATUS_BITS);
}

/** Returns the index in {@link STATUSES} of an entry of {@link ImageColumns.statuses}. */
export function statusIndexOf(entry: number): number {
  return entry & STATUS_MASK;
}

/** Returns the status of an entry of {@link ImageColumns.statuses}. */
export function statusOf(entry: number): OrderStatus {
  return STATUSES[statusIndexOf(entry)] as OrderStatus;
}

/** Returns the reason of an entry of {@link ImageColumns.statuses}, if it has one. */
export function reasonOf(entry: number): CancelReason | undefined {
  return REASONS[entry >> STATUS_BITS];
}
