import type { OrderView } from '../app/order-list.ts';

/**
 * An Order as version 1 shows it: exactly the five properties of the contract. Written by hand,
 * because the ids are 64-bit and JSON.stringify would round them or refuse them.
 */
export function orderToJson({ id, petId, quantity, shipDate, status }: OrderView): string {
  const date = shipDate === undefined ? '' : `,"shipDate":"${shipDate}"`;
  const complete = status === 'shipped';
  return `{"id":${id},"petId":${petId},"quantity":${quantity}${date},"complete":${complete}}`;
}
