/**
 * Parses JSON without rounding: an integer becomes a bigint, however it is written, because JSON
 * Schema takes 1.0 for an integer, too. Returns `undefined` if the text is not JSON.
 */
export function exactJson(text: string): unknown {
  try {
    return JSON.parse(text, (_key, value, context?: { readonly source?: string }) =>
      typeof value === 'number' ? exactly(value, context?.source ?? '') : value,
    );
  } catch {
    return undefined;
  }
}

function exactly(value: number, source: string): bigint | number {
  const [, digits] = /^(-?\d+)(?:\.0+)?$/.exec(source) ?? [];
  if (digits !== undefined) return BigInt(digits);
  return Number.isSafeInteger(value) ? BigInt(value) : value;
}
