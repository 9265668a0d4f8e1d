/** The order in an answer as the service sent it, which the client's own methods do not return. */
import { type Order, type StoreOrders, StoreOrdersError } from '../../client/client.ts';
import { orderIn } from '../../client/values.ts';
import { instantOf } from './clock.ts';

type Answer = Awaited<ReturnType<StoreOrders['request']>>;

/** An order as the service sent it. */
export interface Sent {
  readonly order: Order;
  readonly etag: string;
  readonly text: string;
}

/**
 * Returns the order with an id in an answer of version 2, in which nothing is rounded: its ids are strings. Throws
 * `unexpected_response` for any other answer: a cache or a proxy may send what belongs to another request.
 */
export function sentIn(answer: Answer, id: string): Sent {
  const order = orderIn<Order>(answer, {});
  need(order.id === id, `order ${order.id}`, `order ${id}`);
  const isWhole = typeof order.status === 'string' && instantOf(`${order.placedAt}`) !== undefined;
  need(isWhole, `a part of order ${id}`, 'all of it');
  return { order, etag: answer.headers.get('ETag') ?? '', text: answer.text };
}

function need(isIt: boolean, given: string, asked: string): void {
  if (!isIt) throw other(`${given}, not ${asked}`);
}

function other(what: string): StoreOrdersError {
  return new StoreOrdersError('unexpected_response', `The answer is ${what}.`);
}
