/**
 * Compares answers with their requests: a cache or a proxy that mixes them up answers with something of
 * the right form that belongs to another request.
 */
import { membersIn } from './exact-json.ts';
import type {
  Activity,
  ActivityQuery,
  BatchAnswer,
  EventType,
  Id,
  ListQuery,
  Order,
  OrderEvent,
  OrderPage,
  Position,
  Summary,
  Time,
} from './shapes.ts';
import { idText, isLike } from './values.ts';

/** A position, which may be preceded by its epoch and a colon: the first epoch is 0, without a hash. */
const PLACE = /^(?:\d+(?:\.[\da-f]+)?:)?(\d+)$/;

/** Returns the number in a position, without its epoch; `undefined` for a time. */
export function numberOf(place: Position | Time | undefined): number | undefined {
  const [, digits] = PLACE.exec(String(place)) ?? [];
  return digits === undefined ? undefined : Number(digits);
}

/** The page before in a walk through a list; before the first one, the request without any orders. */
export interface PageBefore extends Pick<ListQuery, 'asOf'> {
  readonly data: readonly Order[];
  readonly next?: string | null | undefined;
}

/**
 * Returns true for a page of orders that pass the filters, by ids behind those of the page before, as of the same
 * position, and with a cursor to another page.
 */
export function isPageOf(page: OrderPage, query: ListQuery, before: PageBefore): boolean {
  const { id, petId, status, complete, order } = query;
  let { fromId, toId } = query;
  const { data, next } = page;
  const ids = id && new Set([id].flat().map(idText));
  const members = { petId: petId === undefined ? undefined : idText(petId), status, complete };
  const isOfList = [...before.data.slice(-1), ...data].every((each) => {
    const isInRange =
      (fromId === undefined || BigInt(each.id) >= BigInt(fromId)) &&
      (toId === undefined || BigInt(each.id) < BigInt(toId));
    // The range of those behind it: none comes twice, or in the other direction.
    if (order === 'desc') toId = each.id;
    else fromId = BigInt(each.id) + 1n;
    return isInRange && (ids?.has(each.id) ?? true) && isLike(each, members);
  });
  return isOfList && isAsOf(page, before) && (next === null || next !== before.next);
}

/** Returns true for an answer as of the position that was asked for, if one was. */
export function isAsOf(
  answer: Pick<OrderPage | Summary, 'asOf'>,
  { asOf }: Pick<ListQuery, 'asOf'>,
): boolean {
  return isLike(answer, { asOf: numberOf(asOf) });
}

export function isActivityOf(activity: Activity, { bucket }: ActivityQuery): boolean {
  return isLike(activity, { bucket });
}

/** Returns true for the results of a batch with these items; an item without an id is a new order. */
export function isBatchOf({ results }: BatchAnswer, items: readonly (Id | undefined)[]): boolean {
  const isOfItems = results.every(({ orderId }, at) => {
    const item = items[at];
    return item === undefined || orderId === undefined || orderId === idText(item);
  });
  return isOfItems && results.length === items.length;
}

/** Criteria of events, as in a request. */
interface EventCriteria {
  readonly after?: Position | undefined;
  readonly type?: EventType | undefined;
  readonly commandId?: string | undefined;
}

/**
 * Returns true for events of this type and command, each with its position as its id: one more than the last,
 * or with a filter any later one.
 * @param end The place up to which the log was read; null: up to the last event.
 */
export function areEventsOf(
  events: readonly OrderEvent[],
  { after, type, commandId }: EventCriteria,
  end: string | null,
): boolean {
  const isDense = (type ?? commandId) === undefined;
  let last = numberOf(after) ?? 0;
  const isNext = (position: number, least: number) =>
    isDense ? position === least : position >= least;
  for (const event of events) {
    const { position } = event;
    // A request with several commands has the beginning of their ids.
    const isOfCommand = String(event.commandid).startsWith(commandId ?? '');
    const isOfQuery = isOfCommand && isLike(event, { type, id: String(position) });
    if (!isOfQuery || !isNext(position, last + 1)) return false;
    last = position;
  }
  return isNext(Number(numberOf(end ?? last)), last);
}

/** Returns true for all events of an order, by versions from 1. */
export function areEventsOfOrder(events: readonly OrderEvent[], orderId: string): boolean {
  const areOfOrder = events.every(
    ({ data, version }, at) => isAbsentOr(version, at + 1) && data.orderId === orderId,
  );
  return areOfOrder && events.length > 0;
}

/** The members of a receipt that can be compared with its request. */
export interface ReceiptParts {
  readonly record: string;
  readonly checkpoint: string;
}

/**
 * Returns true for a receipt of the event at a position, or of the cancellation of an order. A record without the
 * members of an event passes: it is refused when the receipt is verified.
 */
export function isReceiptOf(
  { record }: Pick<ReceiptParts, 'record'>,
  of: string | number | undefined,
): boolean {
  const { type, position, data } = membersIn(record);
  if (typeof of !== 'string') return isAbsentOr(position, of);
  const isOfOrder = isAbsentOr(Object(data).orderId, of);
  return isOfOrder && isAbsentOr(type, 'OrderCancelled');
}

function isAbsentOr(member: unknown, wanted: unknown): boolean {
  return member === undefined || member === wanted;
}

/** Returns true for a checkpoint with lines of others below the signature of the log, which are not verified. */
export function isCosigned(checkpoint: string): boolean {
  return checkpoint.split('\n— ').length > 2;
}
