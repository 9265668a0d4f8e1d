/**
 * The ids of orders and pets. On the wire they are int64 (the contract's format), so they are
 * bigint here: a JavaScript number is exact only up to 2^53 and would turn 9007199254740993 into
 * …992.
 */

declare const orderId: unique symbol;
declare const petId: unique symbol;

/** The id of an order: any int64. */
export type OrderId = bigint & { readonly [orderId]: true };
/** The id of the animal that an order names: any int64. */
export type PetId = bigint & { readonly [petId]: true };

export const MIN_INT64 = -(2n ** 63n);
export const MAX_INT64 = 2n ** 63n - 1n;

// At most the 19 digits that an int64 can have: a longer text is refused here, before BigInt()
// would spend time on it. [0-9] is the same as \d without the `u` flag, but visibly ASCII only.
const CANONICAL_DECIMAL = /^(?:0|-?[1-9][0-9]{0,18})$/;

/**
 * Reads an int64 from its canonical decimal text. Returns `undefined` for everything else: a plus
 * sign, leading zeros, "-0", fractions, exponents, other bases, other scripts' digits, blanks, and
 * values outside −2^63 … 2^63−1. One number has one text, so two spellings never mean one id.
 */
export function parseInt64(text: string): bigint | undefined {
  if (!CANONICAL_DECIMAL.test(text)) return undefined;
  // A number of up to 15 digits is exact, and the faster way to a bigint.
  const value = BigInt(text.length <= 15 ? Number(text) : text);
  return isInt64(value) ? value : undefined;
}

/** Returns true if a bigint fits into 64 bits, signed. */
export function isInt64(value: bigint): boolean {
  return value >= MIN_INT64 && value <= MAX_INT64;
}

/** Reads an order's id; the rules are those of {@link parseInt64}. */
export function parseOrderId(text: string): OrderId | undefined {
  return parseInt64(text) as OrderId | undefined;
}
