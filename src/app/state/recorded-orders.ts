/** The recorded state of orders, which decisions are made on. */

import type { Instant } from '../../domain/instant.ts';
import type { OrderState } from '../../domain/order.ts';
import type { OrderId } from '../../domain/order-id.ts';

/** Orders as the events up to a position have left them: all orders, or those that a writer decides on. */
export interface RecordedOrders {
  /** The position of the last event folded in. */
  readonly position: number;
  /** The time of recording of the last event folded in; `undefined` before the first. */
  readonly lastAt: Instant | undefined;
  /** The highest id of any order, at least 0. */
  readonly highestId: OrderId;

  /** Returns the highest id up to `top` that no order has, for a `top` that is the same each time. */
  highestFreeId(top: bigint): OrderId;

  /** Returns the state of an order; the initial state where there is none. */
  state(orderId: OrderId): OrderState;

  /** Returns the number of events of an order; 0 where there is no such order. */
  version(orderId: OrderId): number;

  /** Returns the position of the event that brought an order to a version. */
  positionOf(orderId: OrderId, version: number): number;
}
