import { setImmediate, setTimeout } from 'node:timers/promises';
import type { Moment } from '../app/moment.ts';
import type { EventLog } from '../app/ports/event-log.ts';
import type { RecordedEvent } from '../app/recorded-event.ts';
import { millisecondsOf } from '../domain/instant.ts';
import type { OrderEvent } from '../domain/order.ts';

/** How fast a log is played. */
export type Speed =
  /** So many events a second. */
  | { readonly kind: 'rate'; readonly perSecond: number }
  /** So many times as fast as it happened. */
  | { readonly kind: 'scale'; readonly times: number };

const SPEED = /^([1-9]\d{0,6}|0\.\d{0,5}[1-9])(\/s|x)$/;

/** Reads a speed such as 10/s or 60x. `undefined` where a text is none. */
export function parseSpeed(text: string): Speed | undefined {
  const [, number, unit] = SPEED.exec(text) ?? [];
  if (number === undefined) return undefined;
  return unit === 'x'
    ? { kind: 'scale', times: Number(number) }
    : { kind: 'rate', perSecond: Number(number) };
}

// To go back to where the line begins, and to clear it.
const CLEAR = '\r\u001b[K';

/**
 * The events of a log up to a moment, a line each, in the rhythm of the speed; on a terminal with a
 * line below them that counts. Ends early, and cleanly, when the signal is aborted.
 * @param played Is told how far it has come.
 */
export async function* timeline(
  log: EventLog,
  to: Moment,
  speed: Speed,
  onTerminal: boolean,
  signal: AbortSignal,
  played: { position: number },
): AsyncGenerator<string> {
  const counts = { OrderPlaced: 0, OrderShipped: 0, OrderCancelled: 0 };
  const isDue = rhythm(speed, signal);
  for await (const events of log.read(0)) {
    for (const recorded of events) {
      const { position, event, metadata } = recorded;
      const isBeyond = typeof to === 'number' ? position > to : metadata.at > to;
      if (isBeyond || !(await isDue(recorded))) {
        if (onTerminal) yield CLEAR;
        return;
      }
      counts[event.type] += 1;
      played.position = position;
      yield onTerminal
        ? `${CLEAR}${lineOf(recorded)}\n${status(position, counts)}`
        : `${lineOf(recorded)}\n`;
    }
    // Signals get their turn even where nothing has to be waited for.
    await setImmediate();
  }
  if (onTerminal) yield CLEAR;
}

/** Waits until it is an event's turn. False if it was told to stop before that. */
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
      await setTimeout(Math.min(wait, LONGEST_WAIT), undefined, { signal }).catch(() => {});
    return !signal.aborted;
  };
}

/** No timer can wait longer, in milliseconds: 24 days, in which nothing has happened. */
const LONGEST_WAIT = 2 ** 31 - 1;

function lineOf({ position, event, metadata: { at, by } }: RecordedEvent): string {
  return `${String(position).padStart(8)}  ${at}  order ${event.orderId} ${happened(event)}, by ${plain(by)}`;
}

function happened(event: OrderEvent): string {
  switch (event.type) {
    case 'OrderPlaced': {
      const { petId, quantity, shipDate } = event;
      const expected = shipDate === undefined ? '' : `, to ship ${shipDate}`;
      return `placed: ${quantity} of pet ${petId}${expected}`;
    }
    case 'OrderShipped':
      return `shipped ${event.shipDate}`;
    case 'OrderCancelled':
      return 'cancelled';
  }
}

/** What a log holds must not be able to move a terminal's cursor. */
function plain(text: string): string {
  return text.replaceAll(/\p{C}/gu, '\ufffd');
}

function status(position: number, counts: Readonly<Record<OrderEvent['type'], number>>): string {
  const { OrderPlaced, OrderShipped, OrderCancelled } = counts;
  const pending = OrderPlaced - OrderShipped - OrderCancelled;
  return `position ${position}: ${pending} pending, ${OrderShipped} shipped, ${OrderCancelled} cancelled`;
}
