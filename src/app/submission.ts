import type { CancelOrder, PlaceOrder, Rejection, ShipOrder } from '../domain/order.ts';
import type { OrderId } from '../domain/order-id.ts';

/** A request to place an order whose id the service chooses. */
export type PlaceNewOrder = Omit<PlaceOrder, 'type' | 'orderId'> & {
  readonly type: 'PlaceNewOrder';
};

/** A command on its way to the decision, with who asks and the id it goes by. */
export interface Submission {
  readonly command: PlaceNewOrder | PlaceOrder | ShipOrder | CancelOrder;
  /** See {@link Metadata.by}. */
  readonly by: string;
  /** See {@link Metadata.commandId}. */
  readonly commandId: string;
}

/** What became of a submission. */
export type Outcome =
  /** It is so, durably: by new events, or because it was so already. */
  | { readonly kind: 'accepted'; readonly orderId: OrderId; readonly version: number }
  /** The order's state forbids it. Nothing was recorded. */
  | { readonly kind: 'rejected'; readonly reason: Rejection }
  /** Nothing was recorded, for a reason that will pass. The cause is for the log, not for clients. */
  | { readonly kind: 'unavailable'; readonly cause: string }
  /** It may or may not have been recorded. The same command can safely be sent again. */
  | { readonly kind: 'unknown'; readonly cause: string };
