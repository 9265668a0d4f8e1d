/** Values as texts. */

/**
 * Returns a value as JSON on one line, with members in the order of their names. A bigint is written as
 * in JavaScript (1n), and undefined as such, so that different values have different texts.
 */
export function asText(value: unknown): string {
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value === 'number') return Object.is(value, -0) ? '-0' : `${value}`;
  if (value instanceof Date) return `Date(${value.getTime()})`;
  if (value instanceof Map) return `Map${asText([...value])}`;
  if (value instanceof Set) return `Set${asText([...value])}`;
  if (Array.isArray(value)) return `[${value.map(asText).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'undefined';
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}: ${asText(member)}`);
  return `{${members.join(', ')}}`;
}

/** Returns true for values with the same content. An absent member equals one that is undefined. */
export function isSame(one: unknown, other: unknown): boolean {
  return asText(one) === asText(other);
}
