import type { Answer, Cancel, Get, Place, Reason, Row, Ship } from '../history/history.ts';
import { ask as look, type OrderRow } from '../oracle/table.ts';
import type { Command } from '../vocabulary.ts';

/**
 * The sequential specification of one order: the effect and the response of each request, by the
 * oracle's table. Histories are checked against it.
 */

export type OrderState =
  | { readonly status: 'none' }
  | ({ readonly status: 'pending' | 'shipped' | 'cancelled' } & Facts);

interface Facts {
  readonly petId: bigint;
  readonly quantity: number;
  readonly shipDate?: string;
}

/** A request about one order, with its response. */
export interface OrderOperation {
  readonly request: Place | Ship | Cancel | Get;
  readonly answer: Answer;
}

export const NO_ORDER: OrderState = { status: 'none' };

/** Returns the table's result for a request: the reason to refuse it, and the next state. */
export function ask(
  state: OrderState,
  request: OrderOperation['request'],
): { readonly reason?: Reason; readonly next: OrderState } {
  if (request.kind === 'get') {
    return state.status === 'none' ? { reason: 'order_not_found', next: state } : { next: state };
  }
  const { answer } = look(rowOf(state), commandFor(request));
  if (answer === 'nothing to do') return { next: state };
  if ('refused' in answer) return { reason: answer.refused, next: state };
  return { next: changed(state, request, answer.next) };
}

/** Returns the state after an operation, or `undefined` if its response is impossible. */
export function after(state: OrderState, operation: OrderOperation): OrderState | undefined {
  const { request, answer } = operation;
  const { reason, next } = ask(state, request);
  switch (answer.kind) {
    case 'unknown':
      return next;
    case 'refused':
      return reason === answer.reason ? next : undefined;
    case 'accepted':
      if (reason !== undefined) return undefined;
      return answer.order === undefined || shows(answer.order, next) ? next : undefined;
    case 'shown':
      return shows(answer.order, next) ? next : undefined;
    default:
      throw new Error(`${answer.kind} is no answer about one order`);
  }
}

/** Returns a text that is equal exactly for equal states. */
export function keyOf(state: OrderState): string {
  if (state.status === 'none') return 'none';
  return `${state.status} ${state.petId} ${state.quantity} ${state.shipDate}`;
}

/** Returns the part of the state that the table uses: without the number of events. */
function rowOf(state: OrderState): OrderRow {
  const { status } = state;
  if (status !== 'shipped' || state.shipDate === undefined) return { status, version: 0 };
  return { status, version: 0, shippedOn: state.shipDate };
}

/** Returns the command of a request. The table ignores ids, so an absent one becomes 0. */
function commandFor(request: Place | Ship | Cancel): Command {
  const orderId = request.id ?? 0n;
  switch (request.kind) {
    case 'place': {
      const { petId, quantity } = request;
      return { type: 'PlaceOrder', orderId, petId, quantity };
    }
    case 'ship':
      return { type: 'ShipOrder', orderId, shipDate: request.shipDate };
    case 'cancel':
      return { type: 'CancelOrder', orderId };
  }
}

function changed(
  state: OrderState,
  request: Place | Ship | Cancel,
  next: OrderState['status'],
): OrderState {
  if (next === 'none') return NO_ORDER;
  if (request.kind === 'place') {
    const { petId, quantity, shipDate } = request;
    return { status: next, petId, quantity, ...(shipDate !== undefined && { shipDate }) };
  }
  const shipped = request.kind === 'ship' ? { shipDate: request.shipDate } : {};
  return { ...(state as Facts), ...shipped, status: next };
}

function shows(row: Row, state: OrderState): boolean {
  return (
    state.status !== 'none' &&
    row.petId === state.petId &&
    row.quantity === state.quantity &&
    row.shipDate === state.shipDate &&
    row.complete === (state.status === 'shipped') &&
    (row.status === undefined || row.status === state.status)
  );
}
