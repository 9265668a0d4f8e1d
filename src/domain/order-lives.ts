/**
 * The lives of orders: the events by which an order comes to each status, and what a status says of
 * an order. The decider decides so, and a test compares the two.
 */

import type { OrderEvent, OrderState } from './order.ts';

/** The status of an order that was placed. */
export type OrderStatus = Exclude<OrderState['status'], 'none'>;

type Type = OrderEvent['type'];

/**
 * The events of an order, the oldest first: by the law of two events, no more than these. The files that
 * rely on it are in docs/adding-an-event.md, because no compiler finds them behind a longer life.
 */
type Life = readonly [Type, Type?];

/** The life of an order in each status. Snapshots hold indexes of statuses: a new one comes last. */
export const LIVES: Readonly<Record<OrderStatus, Life>> = {
  pending: ['OrderPlaced'],
  shipped: ['OrderPlaced', 'OrderShipped'],
  cancelled: ['OrderPlaced', 'OrderCancelled'],
};

/** Every status, at the index that stands for it in a column. */
export const STATUSES = Object.keys(LIVES) as [OrderStatus, ...OrderStatus[]];

/** Returns the event that brings an order to a status. */
export function lastEventOf(status: OrderStatus): Type {
  return LIVES[status].at(-1) as Type;
}

/** Returns the status of an order after an event of a type. */
export function statusAfter(type: Type): OrderStatus {
  return STATUSES.find((status) => lastEventOf(status) === type) as OrderStatus;
}

/** Returns the status of an order before an event of a type; `undefined` if the event places it. */
export function statusBefore(type: Type): OrderStatus | undefined {
  const before = LIVES[statusAfter(type)].at(-2);
  return before && statusAfter(before);
}

/** Returns the number of events of an order in a status. */
export function versionAfter(status: OrderStatus): number {
  return LIVES[status].length;
}

const SHIPPED: ReadonlySet<OrderStatus> = new Set(
  STATUSES.filter((status) => LIVES[status].includes('OrderShipped')),
);

/** Returns true for an order that was shipped, whatever came later: its ship date is the actual one. */
export function hasShipped(status: OrderStatus): boolean {
  return SHIPPED.has(status);
}

/** Returns true for an order that has been fulfilled, which the API shows as `complete`. */
export function isComplete(status: OrderStatus): boolean {
  // Every order of a list is asked, and a look into a table adds a tenth to the time of its JSON.
  switch (status) {
    case 'shipped':
      return true;
    case 'pending':
    case 'cancelled':
      return false;
  }
}
