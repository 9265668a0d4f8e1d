/** The playing of a log on a terminal. */

import { setImmediate, setTimeout } from 'node:timers/promises';
import type { RecordedEvent } from '../../app/log/recorded-event.ts';
import type { EventLog } from '../../app/ports/event-log.ts';
import type { Moment } from '../../app/read/moment.ts';
import { millisecondsOf } from '../../domain/instant.ts';
import { type OrderStatus, STATUSES, statusAfter, statusBefore } from '../../domain/order-lives.ts';
import { eventLine } from './event-words.ts';

export type Speed =
  /** A number of events a second. */
  | { readonly kind: 'rate'; readonly perSecond: number }
  /** A multiple of the speed at which the events happened. */
  | { readonly kind: 'scale'; readonly times: number };

const SPEED = /^([1-9]\d{0,6}|0\.\d{0,5}[1-9])(\/s|x)$/;

/** Reads a speed such as 10/s or 60x. Returns `undefined` for any other text. */
export function parseSpeed(text: string): Speed | undefined {
  const [, number, unit] = SPEED.exec(text) ?? [];
  if (number === undefined) return undefined;
  return unit === 'x'
    ? { kind: 'scale', times: Number(number) }
    : { kind: 'rate', perSecond: Number(number) };
}

// Returns to the beginning of the line, and clears it.
const CLEAR = '\r\u001b[K';

type Counts = Record<OrderStatus, number>;

/**
 * Yields the events of a log up to a moment, a line each, at the given speed; on a terminal with a
 * line of totals below them. Ends early, and cleanly, when the signal is aborted.
 * @param played Receives the position of the last event that was shown.
 */
export async function* timeline(
  log: EventLog,
  to: Moment,
  speed: Speed,
  onTerminal: boolean,
  signal: AbortSignal,
  played: { position: number },
): AsyncGenerator<string> {
  const counts = Object.fromEntries(STATUSES.map((status) => [status, 0])) as Counts;
  const isDue = rhythm(speed, signal);
  for await (const events of log.read(0)) {
    for (const recorded of events) {
      const { position, event, metadata } = recorded;
      const isBeyond = typeof to === 'number' ? position > to : metadata.at > to;
      if (isBeyond || !(await isDue(recorded))) {
        if (onTerminal) yield CLEAR;
        return;
      }
      const before = statusBefore(event.type);
      if (before !== undefined) counts[before] -= 1;
      counts[statusAfter(event.type)] += 1;
      played.position = position;
      yield onTerminal
        ? `${CLEAR}${lineOf(recorded)}\n${totals(position, counts)}`
        : `${lineOf(recorded)}\n`;
    }
    // Signals get a turn even if there is nothing to wait for.
    await setImmediate();
  }
  if (onTerminal) yield CLEAR;
}

/** Returns a function that waits until an event is due, and returns false if it was aborted. */
function rhythm(speed: Speed, signal: AbortSignal): (event: RecordedEvent) => Promise<boolean> {
  const begun = performance.now();
  let first: number | undefined;
  return async ({ position, metadata }) => {
    const at = millisecondsOf(metadata.at);
    first ??= at;
    const due =
      speed.kind === 'rate'
        ? ((position - 1) * 1_000) / speed.perSecond
        : (at - first) / speed.times;
    const wait = begun + due - performance.now();
    if (wait >= 1)
      await setTimeout(Math.min(wait, MAX_WAIT_MS), undefined, { signal }).catch(() => {});
    return !signal.aborted;
  };
}

/** The longest wait of a timer: 24 days. */
const MAX_WAIT_MS = 2 ** 31 - 1;

function lineOf({ position, event, metadata: { at, by } }: RecordedEvent): string {
  return eventLine(position, at, by, event.type, event);
}

function totals(position: number, counts: Counts): string {
  return `position ${position}: ${STATUSES.map((status) => `${counts[status]} ${status}`).join(', ')}`;
}
