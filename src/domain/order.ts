/**
 * The Order aggregate, whole: its events, state and commands, and the one function that decides.
 *
 *   (none) ──place──▶ pending ──ship────▶ shipped
 *                        └─────cancel──▶ cancelled
 */

import { accepted, type Decider, type Decision, rejected } from './decider.ts';
import type { Instant } from './instant.ts';
import type { OrderId, PetId } from './order-id.ts';

// Events: facts, in the past tense, never changed once recorded.

export interface OrderPlaced {
  readonly type: 'OrderPlaced';
  readonly orderId: OrderId;
  readonly petId: PetId;
  /** Units ordered, 1 to {@link MAX_QUANTITY}. */
  readonly quantity: number;
  /** The date on which it is expected to ship; absent if unknown. */
  readonly shipDate?: Instant;
}

export interface OrderShipped {
  readonly type: 'OrderShipped';
  readonly orderId: OrderId;
  /** The date on which it shipped. */
  readonly shipDate: Instant;
}

export interface OrderCancelled {
  readonly type: 'OrderCancelled';
  readonly orderId: OrderId;
  /** Absent where none was given. */
  readonly reason?: CancelReason;
}

/**
 * Every reason that can be given for a cancellation. The list is closed, and there is no free text,
 * because people would write names and addresses into a log from which nothing can be removed.
 */
export const CANCEL_REASONS = [
  'customer_request',
  'out_of_stock',
  'payment_failed',
  'fraud_suspected',
  'duplicate',
  'other',
] as const;

export type CancelReason = (typeof CANCEL_REASONS)[number];

export type OrderEvent = OrderPlaced | OrderShipped | OrderCancelled;

/** The largest int32: the contract's format of a quantity. */
export const MAX_QUANTITY = 2_147_483_647;

/**
 * The law of two events: an order is placed, and at most once it is shipped or cancelled, which
 * ends it. The folds of the log, the list as of a position and the API's description rely on it.
 */
export const MAX_EVENTS_PER_ORDER = 2;

// State: only what a decision needs. The list has its own fold of the same events.

export type OrderState =
  | { readonly status: 'none' }
  | { readonly status: 'pending' }
  | { readonly status: 'shipped'; readonly shipDate: Instant }
  | { readonly status: 'cancelled'; readonly reason?: CancelReason };

// Constants, because the image of a million orders holds each of them a million times.
const NONE: OrderState = Object.freeze({ status: 'none' });
const PENDING: OrderState = Object.freeze({ status: 'pending' });
const CANCELLED = Object.freeze({ status: 'cancelled' });

function evolve(_state: OrderState, event: OrderEvent): OrderState {
  switch (event.type) {
    case 'OrderPlaced':
      return PENDING;
    case 'OrderShipped':
      return { status: 'shipped', shipDate: event.shipDate };
    case 'OrderCancelled':
      return event.reason === undefined ? CANCELLED : { ...CANCELLED, reason: event.reason };
  }
}

// Commands: requests, in the imperative. Ids and times come in with them.

export type PlaceOrder = Omit<OrderPlaced, 'type'> & { readonly type: 'PlaceOrder' };
export type ShipOrder = Omit<OrderShipped, 'type'> & { readonly type: 'ShipOrder' };
export type CancelOrder = Omit<OrderCancelled, 'type'> & { readonly type: 'CancelOrder' };
export type OrderCommand = PlaceOrder | ShipOrder | CancelOrder;

/** The command that leads to each type of event, with the same members. */
export const COMMAND_TYPES = {
  OrderPlaced: 'PlaceOrder',
  OrderShipped: 'ShipOrder',
  OrderCancelled: 'CancelOrder',
} as const satisfies Record<OrderEvent['type'], OrderCommand['type']>;

/** The reason for refusing a command. The names are the API's error codes, too. */
export type Rejection =
  | 'order_exists'
  | 'order_not_found'
  | 'order_already_shipped'
  | 'order_cancelled';

function decide(command: OrderCommand, state: OrderState): Decision<OrderEvent, Rejection> {
  switch (command.type) {
    case 'PlaceOrder':
      return place(command, state);
    case 'ShipOrder':
      return ship(command, state);
    case 'CancelOrder':
      return cancel(command, state);
  }
}

function place(command: PlaceOrder, state: OrderState): Decision<OrderEvent, Rejection> {
  if (state.status !== 'none') return rejected('order_exists');
  return accepted({ ...command, type: 'OrderPlaced' });
}

function ship(command: ShipOrder, state: OrderState): Decision<OrderEvent, Rejection> {
  switch (state.status) {
    case 'none':
      return rejected('order_not_found');
    case 'pending':
      return accepted({ ...command, type: 'OrderShipped' });
    case 'shipped':
      // The same shipment reported twice is nothing new; another date would rewrite a fact.
      return command.shipDate === state.shipDate ? accepted() : rejected('order_already_shipped');
    case 'cancelled':
      return rejected('order_cancelled');
  }
}

function cancel(command: CancelOrder, state: OrderState): Decision<OrderEvent, Rejection> {
  switch (state.status) {
    case 'none':
      return rejected('order_not_found');
    case 'pending':
      return accepted({ ...command, type: 'OrderCancelled' });
    case 'shipped':
      return rejected('order_already_shipped');
    case 'cancelled':
      // DELETE is idempotent: a client that lost the first response gets the same one to a retry.
      // Another reason, or one that was not given at the time, would rewrite a fact.
      return command.reason === undefined || command.reason === state.reason
        ? accepted()
        : rejected('order_cancelled');
  }
}

/** The decider of the Order aggregate. */
export const order: Decider<OrderCommand, OrderEvent, OrderState, Rejection> = {
  initial: NONE,
  decide,
  evolve,
};
