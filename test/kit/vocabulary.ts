/**
 * The kit's types of orders, in the contract's terms and independent of any implementation. Ids are
 * bigint, because the contract's are int64; dates are RFC 3339 strings in UTC with milliseconds.
 */

/** An order as version 1 of the contract shows it. */
export interface Order {
  readonly id: bigint;
  readonly petId: bigint;
  readonly quantity: number;
  /** The expected ship date, or the actual one once it has shipped. */
  readonly shipDate?: string;
  readonly complete: boolean;
}

export interface PlaceOrder {
  readonly type: 'PlaceOrder';
  readonly orderId: bigint;
  readonly petId: bigint;
  readonly quantity: number;
  readonly shipDate?: string;
}

export interface ShipOrder {
  readonly type: 'ShipOrder';
  readonly orderId: bigint;
  readonly shipDate: string;
}

export interface CancelOrder {
  readonly type: 'CancelOrder';
  readonly orderId: bigint;
  /** The contract has no reasons: a program of the kit gives none. */
  readonly reason?: string;
}

export type Command = PlaceOrder | ShipOrder | CancelOrder;

export type OrderEvent =
  | (Omit<PlaceOrder, 'type'> & { readonly type: 'OrderPlaced' })
  | (Omit<ShipOrder, 'type'> & { readonly type: 'OrderShipped' })
  | (Omit<CancelOrder, 'type'> & { readonly type: 'OrderCancelled' });

/** The reasons to refuse a command. */
export type Rejection =
  | 'order_exists'
  | 'order_not_found'
  | 'order_already_shipped'
  | 'order_cancelled';

export const MIN_INT64 = -9223372036854775808n;
export const MAX_INT64 = 9223372036854775807n;
export const MAX_QUANTITY = 2_147_483_647;
