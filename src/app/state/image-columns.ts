/** The columns of the image, and the meaning of their entries. */

import { CANCEL_REASONS, type CancelReason, type OrderEvent } from '../../domain/order.ts';
import {
  LIVES,
  type OrderStatus,
  STATUSES,
  statusAfter,
  statusBefore,
  versionAfter,
} from '../../domain/order-lives.ts';
import type { PackedImage } from '../log/packed-fold.ts';
import { EVENT_TYPES, ImpossibleEvent } from '../log/recorded-event.ts';
import { Column } from './column.ts';

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

/** The words that the indexes in an entry stand for. A snapshot in which they stand for something else is of no use. */
export const ENTRY_MEANINGS = [...Object.values(LIVES).flat(), ...CANCEL_REASONS].join(' ');

const STATUS_BITS = Math.ceil(Math.log2(STATUSES.length));
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

/**
 * Returns the positions of an order's events, ascending, and its status, by the law of
 * {@link MAX_EVENTS_PER_ORDER}: the one that placed it, and the one that ended it, if it has ended.
 */
export function eventsAt(
  columns: ImageColumns,
  slot: number,
): { readonly positions: readonly number[]; readonly status: OrderStatus } {
  const status = statusOf(columns.statuses.get(slot));
  const all = [placedPosition(columns, slot), columns.endPositions.get(slot)];
  return { positions: all.slice(0, versionAfter(status)), status };
}

/** The index of the status after an event of each type. */
export const STATUS_AFTER = byType((type) => STATUSES.indexOf(statusAfter(type)));

const STATUS_BEFORE = byType(statusBefore);

function byType<Value>(of: (type: OrderEvent['type']) => Value) {
  const entries = EVENT_TYPES.map((type) => [type, of(type)]);
  return Object.fromEntries(entries) as Readonly<Record<OrderEvent['type'], Value>>;
}

/**
 * Throws {@link ImpossibleEvent} if no order in a status can have an event of this type.
 * @param before `undefined` for an order that was never placed.
 */
export function requirePossible(
  position: number,
  { type, orderId }: Pick<OrderEvent, 'type' | 'orderId'>,
  before: OrderStatus | undefined,
): void {
  if (before === STATUS_BEFORE[type]) return;
  if (type === 'OrderPlaced') {
    throw new ImpossibleEvent(position, `order ${orderId} was placed twice`);
  }
  const why = before === undefined ? 'was never placed' : `is ${before}`;
  throw new ImpossibleEvent(position, `${type} of order ${orderId}, which ${why}`);
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
