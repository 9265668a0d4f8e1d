import { hash } from 'node:crypto';
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
  /** The name under which `by` can ask again and is told the same, whatever happened in between. */
  readonly idempotencyKey?: string | undefined;
  /** The versions of the order on which the command may be carried out; on any if absent. */
  readonly onlyIf?: readonly number[] | undefined;
}

/** Why a submission was refused. The names are the API's error codes, too. */
export type Refusal = Rejection | 'precondition_failed' | 'idempotency_key_reused';

/** What the write side has decided. */
export type Decided =
  /** It is so, durably: by new events, or because it was so already. */
  | { readonly kind: 'accepted'; readonly orderId: OrderId; readonly version: number }
  /** The order's state or a condition of the submission forbids it. No event was recorded. */
  | { readonly kind: 'rejected'; readonly reason: Refusal };

/** A submission that was accepted, with the position in the log of the event that made it so. */
export type Accepted = Extract<Decided, { kind: 'accepted' }> & { readonly position: number };

/** What became of a submission. */
export type Outcome =
  | Accepted
  | Extract<Decided, { kind: 'rejected' }>
  /** Nothing was recorded, for a reason that will pass. The cause is for the log, not for clients. */
  | { readonly kind: 'unavailable'; readonly cause: string }
  /** It may or may not have been recorded. The same command can safely be sent again. */
  | { readonly kind: 'unknown'; readonly cause: string };

/** Tells what a submission asks for, but not who asks, from whatever else could be asked. */
export function fingerprintOf({ command, onlyIf }: Submission): string {
  const members = Object.entries({ ...command, onlyIf })
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const text = JSON.stringify(members, (_name, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  );
  return hash('sha256', text, 'base64url');
}
