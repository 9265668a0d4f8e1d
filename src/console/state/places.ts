/**
 * Positions as requests name them. A log that was cut has given some numbers twice: there the epoch
 * before a number, as in `1.5e884898:7`, says which event is meant.
 */
import type { Position } from '../../client/client.ts';

const TAG_HASH_DIGITS = 8;

/**
 * Returns a position of the log as it is now.
 * @param epoch The id of the epoch that the log is in; `0` where it was never cut.
 */
export function placeIn(epoch: string, position: number): Position {
  const [number = '', hash] = epoch.split('.');
  return hash === undefined ? position : `${number}.${hash.slice(0, TAG_HASH_DIGITS)}:${position}`;
}

/** Returns the number in a position, which may have its epoch before it. */
export function positionIn(text: string): number {
  return Number(text.split(':').at(-1));
}

/** Returns true for a position of an event, with or without its epoch. */
export function isPosition(text: string): boolean {
  return /^(?:\d{1,9}(?:\.[\da-f]{8})?:)?[1-9]\d{0,15}$/.test(text);
}
