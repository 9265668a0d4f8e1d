/** The ids of orders and pets: integers of 64 bits, as texts. */

import { parseInt64 } from '../../domain/order-id.ts';

/** Returns true for the decimal text of a 64-bit integer. */
export function isId(text: string): boolean {
  return parseInt64(text) !== undefined;
}

/** Returns the id that follows one, or undefined behind the last. */
export function idBehind(id: string): string | undefined {
  const next = String(BigInt(id) + 1n);
  return isId(next) ? next : undefined;
}
