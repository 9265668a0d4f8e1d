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

function need(isIt: boolean, given: string, asked: string): void {
  if (!isIt) throw other(`${given}, not ${asked}`);
}

function other(what: string): StoreOrdersError {
  return new StoreOrdersError('unexpected_response', `The answer is ${what}.`);
}
