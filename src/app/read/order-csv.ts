/**
 * Orders as CSV (RFC 4180): a header, and lines that end in CRLF. All values are numbers, times and
 * words of closed lists, so none has to be quoted, and none is a formula to a spreadsheet.
 */
import { isComplete } from '../../domain/order-lives.ts';
import type { OrderDetails } from '../state/order-list.ts';

type Column = Exclude<keyof OrderDetails, 'version'> | 'complete';

/** In their order. A member of {@link OrderDetails} that is forgotten here does not compile. */
const NAMES: Readonly<Record<Column, true>> = {
  ...{ id: true, petId: true, quantity: true, shipDate: true, complete: true, status: true },
  ...{ placedAt: true, shippedAt: true, cancelledAt: true, cancelReason: true },
};
const COLUMNS = Object.keys(NAMES) as Column[];

/** The first line: the names of the columns, which are those of version 2. */
export const CSV_HEADER = lineOf(COLUMNS);

/** Returns the line of an order. A value that there is none of is empty. */
export function orderToCsv(order: OrderDetails): string {
  const complete = isComplete(order.status);
  return lineOf(COLUMNS.map((name) => (name === 'complete' ? complete : order[name]) ?? ''));
}

function lineOf(values: readonly unknown[]): string {
  return `${values.join(',')}\r\n`;
}
