/**
 * Orders as CSV (RFC 4180): a header, and lines that end in CRLF. All values are numbers, times and
 * words of closed lists, so none has to be quoted, and none is a formula to a spreadsheet.
 */
import type { OrderDetails } from '../state/order-list.ts';

const COLUMNS = [
  ...(['id', 'petId', 'quantity', 'shipDate', 'complete', 'status'] as const),
  ...(['placedAt', 'shippedAt', 'cancelledAt', 'cancelReason'] as const),
];

/** The first line: the names of the columns, which are those of version 2. */
export const CSV_HEADER = lineOf(COLUMNS);

/** Returns the line of an order. A value that there is none of is empty. */
export function orderToCsv(order: OrderDetails): string {
  const complete = order.status === 'shipped';
  return lineOf(COLUMNS.map((name) => (name === 'complete' ? complete : order[name]) ?? ''));
}

function lineOf(values: readonly unknown[]): string {
  return `${values.join(',')}\r\n`;
}
