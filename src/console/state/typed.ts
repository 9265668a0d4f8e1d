/** Texts that a reader types: in the search box, and as a moment. */
import { instantOf, isInstant } from './clock.ts';
import { isId } from './ids.ts';
import { isPosition } from './places.ts';
import type { Route } from './routes.ts';
import { instantIn, type Zone } from './times.ts';

/** The id that the service gives to a request, a command or an import, and what may follow it. */
const REQUEST_ID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}(?::[\w:]{1,60})?$/;
const DATE_TIME = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(:\d\d)?(Z|[+-]\d\d:\d\d)?)?$/;

/**
 * Returns the page that a text in the search box leads to: an order's id, `#` and a position, the id
 * of a request or command, or a date with or without a time.
 */
export function readSearch(text: string, zone: Zone = 'utc'): Route | undefined {
  const word = text.trim();
  if (isId(word)) return { page: 'order', id: word };
  const id = word.toLowerCase();
  if (REQUEST_ID.test(id)) return { page: 'log', commandId: id };
  const asOf = momentIn(word.toUpperCase(), zone);
  if (asOf !== undefined) return { page: 'travel', asOf };
  const position = /^#\s*([\d.a-f:]+)$/.exec(word)?.[1];
  if (position === undefined || !isPosition(position)) return undefined;
  return { page: 'log', order: 'oldest', at: position, paused: true };
}

/** Returns a moment that was typed: a position, or an instant of the zone; `undefined` for any other text. */
export function readMoment(text: string, zone: Zone): string | undefined {
  const word = text.trim();
  if (word === '0' || isPosition(word)) return word;
  return momentIn(word.toUpperCase(), zone) ?? (isInstant(word) ? word : undefined);
}

/** Returns the instant of a date, with or without a time and an offset: without one, it is in the zone. */
function momentIn(word: string, zone: Zone): string | undefined {
  const [, date, time = '00:00', seconds = ':00', offset] = DATE_TIME.exec(word) ?? [];
  const text = `${date}T${time}${seconds}`;
  const isReal = date !== undefined && instantOf(`${text}Z`) !== undefined;
  if (!isReal) return undefined;
  return offset === undefined ? instantIn(text, zone) : `${text}${offset}`;
}
