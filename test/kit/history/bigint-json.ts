/** Bigints in JSON, as strings that end in n. */

/** A replacer of JSON.stringify. */
export function bigintsAsText(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? `${value}n` : value;
}

/** A reviver of JSON.parse. */
export function textAsBigints(_key: string, value: unknown): unknown {
  return typeof value === 'string' && /^-?\d+n$/.test(value) ? BigInt(value.slice(0, -1)) : value;
}
