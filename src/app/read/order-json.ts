/**
 * The JSON of an order in each version of the API, for HTTP and the command line. It is written by
 * hand, because JSON.stringify rejects bigints. Ids are numbers in version 1, which the JSON
 * parsers of many languages round beyond 2^53, and strings in version 2.
 */
import { isComplete } from '../../domain/order-lives.ts';
import type { OrderDetails, OrderView } from '../state/order-list.ts';

/** Returns an order as version 1 shows it: the five properties of the contract. */
export function orderToJson(order: OrderView): string {
  return `{"id":${order.id},"petId":${order.petId},${commonProperties(order)}}`;
}

/** Returns an order as version 2 shows it. The time of an event that has not happened is absent. */
export function orderToJsonV2(order: OrderDetails): string {
  const { id, petId, status, placedAt, shippedAt, cancelledAt, cancelReason } = order;
  const shipped = shippedAt === undefined ? '' : `,"shippedAt":"${shippedAt}"`;
  const cancelled = cancelledAt === undefined ? '' : `,"cancelledAt":"${cancelledAt}"`;
  const reason = cancelReason === undefined ? '' : `,"cancelReason":"${cancelReason}"`;
  const times = `"placedAt":"${placedAt}"${shipped}${cancelled}${reason}`;
  const ids = `"id":"${id}","petId":"${petId}"`;
  return `{${ids},${commonProperties(order)},"status":"${status}",${times}}`;
}

function commonProperties({ quantity, shipDate, status }: OrderView): string {
  const date = shipDate === undefined ? '' : `,"shipDate":"${shipDate}"`;
  return `"quantity":${quantity}${date},"complete":${isComplete(status)}`;
}
