/** The ids of orders and pets: integers of 64 bits, as texts. */

const MAX_ID = 2n ** 63n - 1n;
const DECIMAL = /^(?:0|-?[1-9]\d{0,18})$/;

/** Returns true for the decimal text of a 64-bit integer. */
export function isId(text: string): boolean {
  if (!DECIMAL.test(text)) return false;
  const id = BigInt(text);
  return id <= MAX_ID && id >= -MAX_ID - 1n;
}

/** Returns the id that follows one, or undefined behind the last. */
export function idBehind(id: string): string | undefined {
  const next = String(BigInt(id) + 1n);
  return isId(next) ? next : undefined;
}
