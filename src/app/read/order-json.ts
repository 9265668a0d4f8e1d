/**
 * The JSON of an order in each version of the API, for HTTP and the command line. It is written by hand,
 * because the ids are 64-bit and JSON.stringify would round them or refuse them.
 */
import type { OrderDetails, OrderView } from '../state/order-list.ts';

/** Returns an Order as version 1 shows it: exactly the five properties of the contract. */
export function orderToJson(order: OrderView): string {
  return `{${commonProperties(order)}}`;
}

/** Returns an Order as version 2 shows it. An event that has not happened has no time. */
export function orderToJsonV2(order: OrderDetails): string {
  const { status, placedAt, shippedAt, cancelledAt } = order;
  const shipped = shippedAt === undefined ? '' : `,"shippedAt":"${shippedAt}"`;
  const cancelled = cancelledAt === undefined ? '' : `,"cancelledAt":"${cancelledAt}"`;
  const times = `"placedAt":"${placedAt}"${shipped}${cancelled}`;
  return `{${commonProperties(order)},"status":"${status}",${times}}`;
}

function commonProperties({ id, petId, quantity, shipDate, status }: OrderView): string {
  const date = shipDate === undefined ? '' : `,"shipDate":"${shipDate}"`;
  const complete = status === 'shipped';
  return `"id":${id},"petId":${petId},"quantity":${quantity}${date},"complete":${complete}`;
}
