/** Values as texts. */

/**
 * Returns a value as a JavaScript expression on one line, with members in the order of their names.
 * Different values have different texts.
 */
export function asText(value: unknown): string {
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value === 'number') return Object.is(value, -0) ? '-0' : `${value}`;
  if (value instanceof Date) return `new Date(${value.getTime()})`;
  if (value instanceof Map) return `new Map(${asText([...value])})`;
  if (value instanceof Set) return `new Set(${asText([...value])})`;
  if (Array.isArray(value)) return `[${value.map(asText).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'undefined';
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => `${memberName(name)}: ${asText(member)}`);
  return `{${members.join(', ')}}`;
}

// A member that is called so as a literal would be the prototype.
function memberName(name: string): string {
  return name === '__proto__' ? '["__proto__"]' : JSON.stringify(name);
}

/** Returns true for values with the same content. An absent member equals one that is undefined. */
export function isSame(one: unknown, other: unknown): boolean {
  return asText(one) === asText(other);
}
