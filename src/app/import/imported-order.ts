/** The reading of orders from the fields of a file. */

import { type Instant, parseInstant } from '../../domain/instant.ts';
import { CANCEL_REASONS, type CancelReason, MAX_QUANTITY } from '../../domain/order.ts';
import { type PetId, parseInt64, parseOrderId } from '../../domain/order-id.ts';
import { isComplete, type OrderStatus, STATUSES } from '../../domain/order-lives.ts';
import type { OrderView } from '../state/order-list.ts';

/** The properties that a file may give of an order. */
export const PROPERTIES = [
  'id',
  'petId',
  'quantity',
  'shipDate',
  'complete',
  'status',
  'cancelReason',
] as const;
export type Property = (typeof PROPERTIES)[number];

/** The values as texts: numbers stay texts until they are read, exactly, as 64-bit numbers. */
export type Fields = Readonly<Partial<Record<Property, string>>>;

/** An order as the list is to show it. A shipped one has the date on which it shipped. */
export type ImportedOrder = OrderView &
  (
    | { readonly status: 'pending' }
    | { readonly status: 'cancelled'; readonly cancelReason?: CancelReason }
    | { readonly status: 'shipped'; shipDate: Instant }
  );

/** The result of reading one line. */
export type Reading =
  | { readonly kind: 'order'; readonly order: ImportedOrder }
  | { readonly kind: 'bad'; readonly reason: string };

const INT64 = 'an integer of 64 bits';

export function isProperty(name: string): name is Property {
  return (PROPERTIES as readonly string[]).includes(name);
}

export function bad(reason: string): Reading {
  return { kind: 'bad', reason };
}

/** Reads an order from its fields, or returns the reason why the first bad field is bad. */
export function readImportedOrder(fields: Fields): Reading {
  const id = parseOrderId(fields.id ?? '');
  if (id === undefined) return wrong(fields, 'id', INT64);
  const petId = parseInt64(fields.petId ?? '') as PetId | undefined;
  if (petId === undefined) return wrong(fields, 'petId', INT64);
  const quantity = Number(parseInt64(fields.quantity ?? ''));
  if (!(quantity >= 1 && quantity <= MAX_QUANTITY)) {
    return wrong(fields, 'quantity', `a whole number from 1 to ${MAX_QUANTITY}`);
  }
  const shipDate = fields.shipDate === undefined ? undefined : parseInstant(fields.shipDate);
  if (shipDate === undefined && fields.shipDate !== undefined) {
    return wrong(fields, 'shipDate', 'a date-time of RFC 3339');
  }
  const reason = fields.cancelReason as CancelReason | undefined;
  return (
    flawInStatus(fields) ??
    flawInReason(fields) ??
    withStatus({ id, petId, quantity, shipDate }, statusOf(fields), reason)
  );
}

/** Returns the status, or without one the status by `complete`: orders not complete are pending. */
function statusOf({ status, complete }: Fields): OrderStatus {
  return (status ?? (complete === 'true' ? 'shipped' : 'pending')) as OrderStatus;
}

/** Returns the flaw, if any, in the two properties that give an order's status. */
function flawInStatus(fields: Fields): Reading | undefined {
  const { status, complete } = fields;
  if (status !== undefined && !(STATUSES as readonly string[]).includes(status)) {
    return wrong(fields, 'status', STATUSES.join(' or '));
  }
  if (complete === undefined) return undefined;
  if (complete !== 'true' && complete !== 'false')
    return wrong(fields, 'complete', 'true or false');
  if (complete === String(isComplete(statusOf(fields)))) return undefined;
  return bad(`complete is ${complete}, and status is ${status}`);
}

function flawInReason(fields: Fields): Reading | undefined {
  const { cancelReason } = fields;
  if (cancelReason === undefined) return undefined;
  if (!(CANCEL_REASONS as readonly string[]).includes(cancelReason)) {
    return wrong(fields, 'cancelReason', CANCEL_REASONS.join(' or '));
  }
  const status = statusOf(fields);
  if (status === 'cancelled') return undefined;
  return bad(`cancelReason is ${cancelReason}, and status is ${status}`);
}

function withStatus(
  order: Omit<OrderView, 'status'>,
  status: OrderStatus,
  cancelReason: CancelReason | undefined,
): Reading {
  if (status === 'pending') return { kind: 'order', order: { ...order, status } };
  if (status === 'cancelled') {
    const cancelled = { ...order, status };
    return {
      kind: 'order',
      order: cancelReason === undefined ? cancelled : { ...cancelled, cancelReason },
    };
  }
  const { shipDate } = order;
  if (shipDate === undefined) return bad('shipDate is missing, and the order is shipped');
  return { kind: 'order', order: { ...order, shipDate, status } };
}

function wrong(fields: Fields, name: Property, expected: string): Reading {
  const found = fields[name];
  if (found === undefined) return bad(`${name} is missing`);
  return bad(`${name} must be ${expected}, not ${quoted(found)}`);
}

/** Returns a value of a file, shortened and without control characters, for a terminal. */
export function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 40).replaceAll(/\p{C}/gu, '\ufffd'));
}
