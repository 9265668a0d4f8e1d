import { bigintsAsText, textAsBigints } from './bigint-json.ts';
import type { History, Operation } from './history.ts';

/**
 * Encodes a history as text, one operation a line, so that a rejected history can be stored and
 * checked again. A line is JSON; a bigint is a string that ends in n.
 */

export function encodeHistory(history: History): string {
  return history.map((operation) => `${JSON.stringify(operation, asText)}\n`).join('');
}

/** Parses the text of {@link encodeHistory}. Throws at a line that is not JSON. */
export function decodeHistory(text: string): History {
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line) => {
    const { returned = Number.POSITIVE_INFINITY, ...rest } = JSON.parse(line, textAsBigints);
    return { ...rest, returned } as Operation;
  });
}

function asText(key: string, value: unknown): unknown {
  // JSON has no infinity. Only the time of a missing response is infinite.
  return value === Number.POSITIVE_INFINITY ? undefined : bigintsAsText(key, value);
}
