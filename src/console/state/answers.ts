/**
 * Compares answers with what was asked for: a cache or a proxy may answer with what belongs to another request,
 * or with something else altogether. Each function throws `unexpected_response` then.
 */
import {
  type Order,
  type OrderEvent,
  type StoreOrders,
  StoreOrdersError,
} from '../../client/client.ts';
import { orderIn } from '../../client/values.ts';
import { instantOf } from './clock.ts';

type Answer = Awaited<ReturnType<StoreOrders['request']>>;

/** An order as the service sent it. */
export interface Sent {
  readonly order: Order;
  readonly etag: string;
  readonly text: string;
}

/** Returns the order with an id in an answer of version 2, in which nothing is rounded: its ids are strings. */
export function sentIn(answer: Answer, id: string): Sent {
  const order = orderIn<Order>(answer, {});
  need(order.id === id, `order ${order.id}`, `order ${id}`);
  const isWhole = typeof order.status === 'string' && instantOf(`${order.placedAt}`) !== undefined;
  need(isWhole, `a part of order ${id}`, 'all of it');
  return { order, etag: answer.headers.get('ETag') ?? '', text: answer.text };
}

/** Returns the orders in an answer, which must be of one id. */
export function ordersOf(id: string, orders: readonly Order[]): readonly Order[] {
  for (const order of orders) need(order.id === id, `order ${order.id}`, `order ${id}`);
  return orders;
}

/** Returns the events in an answer, which must be of one order. */
export function eventsOf(id: string, events: readonly OrderEvent[]): readonly OrderEvent[] {
  for (const { data } of events) {
    need(data.orderId === id, `an event of order ${data.orderId}`, `the events of order ${id}`);
  }
  return events;
}

/** Returns the receipt, which must be of the event at a position. */
export function receiptAt(position: number, text: string): string {
  const { position: given } = recordIn(text);
  need(
    given === position,
    `the receipt of position ${given}`,
    `the receipt of position ${position}`,
  );
  return text;
}

/** Returns the receipt, which must be of the cancellation of an order. */
export function receiptOf(id: string, text: string): string {
  const { type, orderId } = recordIn(text);
  const isIt = type === 'OrderCancelled' && orderId === id;
  need(isIt, `the receipt of ${type} of order ${orderId}`, `the receipt of order ${id}`);
  return text;
}

function recordIn(text: string): { position?: unknown; type?: unknown; orderId?: unknown } {
  try {
    const { position, type, data } = JSON.parse(JSON.parse(text).record);
    return { position, type, orderId: data.orderId };
  } catch {
    throw other('something else than a receipt');
  }
}

function need(isIt: boolean, given: string, asked: string): void {
  if (!isIt) throw other(`${given}, not ${asked}`);
}

function other(what: string): StoreOrdersError {
  return new StoreOrdersError('unexpected_response', `The answer is ${what}.`);
}
