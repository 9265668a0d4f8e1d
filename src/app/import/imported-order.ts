import { type Instant, parseInstant } from '../../domain/instant.ts';
import { MAX_QUANTITY } from '../../domain/order.ts';
import { type PetId, parseInt64, parseOrderId } from '../../domain/order-id.ts';
import type { OrderView } from '../order-list.ts';

/** What a file of orders may say of one order. */
export const PROPERTIES = ['id', 'petId', 'quantity', 'shipDate', 'complete', 'status'] as const;
export type Property = (typeof PROPERTIES)[number];

/** The values' texts: numbers stay text until they are read as 64-bit numbers, exactly. */
export type Fields = Readonly<Partial<Record<Property, string>>>;

/** An order from elsewhere, as the list is to show it. A shipped one has the date it shipped. */
export type ImportedOrder = OrderView &
  (
    | { readonly status: 'pending' | 'cancelled' }
    | { readonly status: 'shipped'; shipDate: Instant }
  );

/** What became of reading one line. */
export type Reading =
  | { readonly kind: 'order'; readonly order: ImportedOrder }
  | { readonly kind: 'bad'; readonly reason: string };

type Status = OrderView['status'];
const STATUSES: readonly string[] = ['pending', 'shipped', 'cancelled'] satisfies Status[];
const INT64 = 'an integer of 64 bits';

export function isProperty(name: string): name is Property {
  return (PROPERTIES as readonly string[]).includes(name);
}

export function bad(reason: string): Reading {
  return { kind: 'bad', reason };
}

/** Reads an order from its fields, or says what is wrong with the first one that is. */
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
  return flawInStatus(fields) ?? withStatus({ id, petId, quantity, shipDate }, statusOf(fields));
}

/** Without a status, `complete` tells it: what is not complete is pending. */
function statusOf({ status, complete }: Fields): Status {
  return (status ?? (complete === 'true' ? 'shipped' : 'pending')) as Status;
}

/** What is wrong with the two properties that tell an order's status, if anything is. */
function flawInStatus(fields: Fields): Reading | undefined {
  const { status, complete } = fields;
  if (status !== undefined && !STATUSES.includes(status)) {
    return wrong(fields, 'status', STATUSES.join(' or '));
  }
  if (complete === undefined) return undefined;
  if (complete !== 'true' && complete !== 'false')
    return wrong(fields, 'complete', 'true or false');
  const shipped = statusOf(fields) === 'shipped';
  if (complete === String(shipped)) return undefined;
  return bad(`complete is ${complete}, and status is ${status}`);
}

function withStatus(order: Omit<OrderView, 'status'>, status: Status): Reading {
  if (status !== 'shipped') return { kind: 'order', order: { ...order, status } };
  const { shipDate } = order;
  if (shipDate === undefined) return bad('shipDate is missing, and the order is shipped');
  return { kind: 'order', order: { ...order, shipDate, status } };
}

function wrong(fields: Fields, name: Property, expected: string): Reading {
  const found = fields[name];
  if (found === undefined) return bad(`${name} is missing`);
  return bad(`${name} must be ${expected}, not ${quoted(found)}`);
}

/** What a file says, short, and without anything in it that could act on a terminal. */
export function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 40).replaceAll(/\p{C}/gu, '\ufffd'));
}
