import type { OrderDetails, OrderView } from './order-list.ts';

// Written by hand, because the ids are 64-bit and JSON.stringify would round them or refuse them.

/** An Order as version 1 shows it: exactly the five properties of the contract. */
export function orderToJson(order: OrderView): string {
  return `{${commonProperties(order)}}`;
}

/** An Order as version 2 shows it: what has not happened has no time. */
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
