import type { History, Operation } from './history.ts';

/**
 * A history as text, one operation a line, so that one that was refused can be kept and judged
 * again. A line is JSON; a bigint is written as a string that ends in n.
 */

export function encodeHistory(history: History): string {
  return history.map((operation) => `${JSON.stringify(operation, asText)}\n`).join('');
}

/** Reads what {@link encodeHistory} wrote. Throws at a line that is no JSON. */
export function decodeHistory(text: string): History {
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line) => {
    const { returned = Number.POSITIVE_INFINITY, ...rest } = JSON.parse(line, fromText);
    return { ...rest, returned } as Operation;
  });
}

function asText(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return `${value}n`;
  // JSON has no infinity. Only the time of an answer that never came is infinite.
  return value === Number.POSITIVE_INFINITY ? undefined : value;
}

function fromText(_key: string, value: unknown): unknown {
  return typeof value === 'string' && /^-?\d+n$/.test(value) ? BigInt(value.slice(0, -1)) : value;
}
