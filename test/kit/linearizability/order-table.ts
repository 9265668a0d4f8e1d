import type { Answer, Cancel, Get, Place, Reason, Row, Ship } from '../history/history.ts';

/**
 * One order as a sequential object: what each request does to it and how it is answered, as a
 * plain table. This is what a history is held against.
 */

export type OrderState =
  | { readonly status: 'none' }
  | ({ readonly status: 'pending' | 'shipped' | 'cancelled' } & Facts);

interface Facts {
  readonly petId: bigint;
  readonly quantity: number;
  readonly shipDate?: string;
}

/** A request that concerns one order, as it was answered. */
export interface OrderOperation {
  readonly request: Place | Ship | Cancel | Get;
  readonly answer: Answer;
}

type Status = OrderState['status'];
type Asked = 'place' | 'ship' | 'ship on the same date' | 'cancel';
type Entry = { readonly next: Status } | { readonly refused: Reason } | 'nothing to do';

const EXISTS: Entry = { refused: 'order_exists' };
const NOT_FOUND: Entry = { refused: 'order_not_found' };
const SHIPPED: Entry = { refused: 'order_already_shipped' };
const CANCELLED: Entry = { refused: 'order_cancelled' };

const TABLE: Readonly<Record<Status, Readonly<Record<Asked, Entry>>>> = {
  none: {
    place: { next: 'pending' },
    ship: NOT_FOUND,
    'ship on the same date': NOT_FOUND,
    cancel: NOT_FOUND,
  },
  pending: {
    place: EXISTS,
    ship: { next: 'shipped' },
    'ship on the same date': { next: 'shipped' },
    cancel: { next: 'cancelled' },
  },
  shipped: {
    place: EXISTS,
    ship: SHIPPED,
    'ship on the same date': 'nothing to do',
    cancel: SHIPPED,
  },
  cancelled: {
    place: EXISTS,
    ship: CANCELLED,
    'ship on the same date': CANCELLED,
    cancel: 'nothing to do',
  },
};

export const NO_ORDER: OrderState = { status: 'none' };

/** What the table says to a request: the answer in words, and the state after it. */
export function ask(
  state: OrderState,
  request: OrderOperation['request'],
): { readonly reason?: Reason; readonly next: OrderState } {
  if (request.kind === 'get') {
    return state.status === 'none' ? { reason: 'order_not_found', next: state } : { next: state };
  }
  const entry = TABLE[state.status][askedOf(state, request)];
  if (entry === 'nothing to do') return { next: state };
  if ('refused' in entry) return { reason: entry.refused, next: state };
  return { next: changed(state, request, entry.next) };
}

/** The state after an operation, or `undefined` where it cannot have been answered so. */
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

/** Whether two states are the same. They are equal exactly if these texts are. */
export function keyOf(state: OrderState): string {
  if (state.status === 'none') return 'none';
  return `${state.status} ${state.petId} ${state.quantity} ${state.shipDate}`;
}

function askedOf(state: OrderState, request: Place | Ship | Cancel): Asked {
  if (request.kind !== 'ship' || state.status === 'none') return request.kind;
  return request.shipDate === state.shipDate ? 'ship on the same date' : 'ship';
}

function changed(state: OrderState, request: Place | Ship | Cancel, next: Status): OrderState {
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
