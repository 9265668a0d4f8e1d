/** An update: a change of an order by a decision on its present state, which takes several requests. */
import { fromCaller } from './attempt.ts';
import { isFailure } from './callers.ts';
import { StoreOrdersError } from './error.ts';
import { limited } from './limit.ts';
import type { CancelOptions } from './options.ts';
import { leavesOpen } from './retry-policy.ts';
import type { CancelReason, Change, Done, Order } from './shapes.ts';
import type { SingleOrders } from './single-orders.ts';
import { newKey, type StepOptions } from './transport.ts';

/** The refusals that can mean that an order has changed since it was read. */
const CHANGED: readonly string[] = [
  'precondition_failed',
  'order_already_shipped',
  'order_cancelled',
];

/** The names of a decision in the errors of one that is late. */
const DECISION = { method: 'The decision on', requests: { count: 0 }, idempotencyKey: undefined };

type Orders = Pick<SingleOrders<Order>, 'get' | 'ship'> & {
  cancel(id: string, options: CancelOptions): Promise<Done>;
};

/**
 * Decides on an order and changes it; again if somebody else has changed it in between.
 * @param left Returns the options of the next request.
 */
export async function update(
  orders: Orders,
  id: string,
  decide: (order: Order) => Change | undefined | Promise<Change | undefined>,
  left: () => StepOptions,
): Promise<Order> {
  const decision = { ...DECISION, url: `order ${id}` };
  let refused: { readonly etag: string; readonly error: StoreOrdersError } | undefined;
  for (;;) {
    const order = await orders.get(id, left());
    const ifMatch = order.etag;
    // The order is as it was: the refusal has another cause than somebody else's change.
    if (refused?.etag === ifMatch) throw refused.error;
    const { signal, timeoutMs } = left();
    const decided = await limited(signal, timeoutMs, (limit) => {
      return fromCaller(() => decide(order), decision, limit);
    });
    if (decided === undefined) return order;
    // One that is no object has none of the members.
    const { ship, cancel }: Change = Object(decided);
    try {
      if (ship !== undefined && cancel === undefined)
        return await orders.ship(id, ship, { ...left(), ifMatch });
      const reason = reasonIn(ship === undefined ? cancel : undefined);
      const idempotencyKey = newKey();
      const command = { ...left(), ifMatch, reason, idempotencyKey };
      const { position } = await orders.cancel(id, command);
      return await orders.get(id, left()).catch((error: unknown) => {
        throw toldAsCancelled(error, position, idempotencyKey);
      });
    } catch (error) {
      if (!isFailure(error) || !CHANGED.includes(error.code)) throw error;
      refused = { etag: ifMatch, error };
    }
  }
}

/** Returns the reason in a decision to cancel. Any other decision than these is none: it would be final. */
function reasonIn(cancel: true | CancelReason | undefined): CancelReason | undefined {
  if (cancel === true) return undefined;
  if (typeof cancel === 'string') return cancel;
  throw new StoreOrdersError(
    'invalid_request',
    'a change must have either ship, or cancel: true or a reason',
  );
}

/**
 * Returns the error of an update that has cancelled the order and could not read it afterwards. A code such as
 * `unauthorized` would say that nothing was changed.
 */
function toldAsCancelled(error: unknown, position: number, idempotencyKey: string): unknown {
  if (!isFailure(error)) return error;
  const { code } = error;
  const message = `The order is cancelled, at position ${position}, but could not be read afterwards: ${error.message}`;
  const cause = code === 'aborted' ? error.cause : error;
  const told = leavesOpen(code) ? code : 'outcome_unknown';
  return new StoreOrdersError(told, message, { ...error, idempotencyKey, cause });
}
