import { InvalidArgumentError } from 'commander';
import { type OrderId, parseOrderId } from '../domain/order-id.ts';

/** Reads the id of an order from the command line. */
export function readOrderId(text: string): OrderId {
  const id = parseOrderId(text);
  if (id === undefined) throw new InvalidArgumentError('It must be a whole number of 64 bits.');
  return id;
}
