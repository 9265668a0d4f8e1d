/** Events as the lines of a file: NDJSON with each event as it is in the API, or CSV (RFC 4180). */
import type { OrderEvent, StoreOrders } from '../../client/client.ts';
import { DEFAULTS } from '../../client/options.ts';
import { MAX_PAGE_ITEMS } from '../../client/paged.ts';
import type { EventFilter } from './log-rows.ts';

export type ExportFormat = 'ndjson' | 'csv';

const COLUMNS = [
  ...['position', 'time', 'type', 'orderId', 'petId', 'quantity', 'shipDate', 'reason'],
  ...['by', 'keyname', 'commandid'],
];

/** Yields the file in pieces, each with the number of its events. */
export async function* piecesOf(
  events: Pick<StoreOrders['events'], 'list'>,
  filter: EventFilter,
  format: ExportFormat,
): AsyncGenerator<{ readonly text: string; readonly count: number }, void, void> {
  if (format === 'csv') yield { text: `${COLUMNS.join()}\r\n`, count: 0 };
  const lineOf = format === 'csv' ? csvLine : (event: OrderEvent) => `${JSON.stringify(event)}\n`;
  // A long download meets the limits of its key: what is there so far is not thrown away for that.
  const list = events.list({ ...filter, limit: MAX_PAGE_ITEMS }, { retries: DEFAULTS.retries });
  for await (const { data } of list.pages()) {
    yield { text: data.map(lineOf).join(''), count: data.length };
  }
}

function csvLine({ data, ...event }: OrderEvent): string {
  const values: Readonly<Record<string, unknown>> = { ...event, ...data };
  return `${COLUMNS.map((name) => csvField(String(values[name] ?? ''))).join()}\r\n`;
}

/** The first characters by which a spreadsheet takes a text for a formula, or reads on to the next one. */
const FORMULA = /^[=+\-@＝＋－＠\t\r\n]/;
/** A number below zero is none. Pets may have such an id. */
const NUMBER = /^-?\d+(?:\.\d+)?$/;

/**
 * Returns a field, which no spreadsheet takes for a formula: the name of a key may be any text. The list of
 * orders, which the service writes as CSV, has numbers, times and words of closed lists only.
 */
function csvField(text: string): string {
  const safe = FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
