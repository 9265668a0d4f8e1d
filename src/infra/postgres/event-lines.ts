/** Events in the text form of COPY: a line for each, with a tab between its columns. */

import type { StoredRow } from '../../app/ports/evidence.ts';

/** The most digits of which JavaScript represents every integer exactly. */
const MAX_EXACT_DIGITS = 15;

/**
 * The statement that sends all events by position. It has no WHERE: a lookup by position would fail
 * where the index is missing or wrong, and skip a second row with the same position.
 */
export const COPY_EVENTS = `
  COPY (SELECT position, order_id::text, version, type, schema_version, data, metadata
          FROM store_orders.events ORDER BY position)
    TO STDOUT`;

/** The characters that are sent as a backslash and a letter; every other one stands for itself. */
const ESCAPED: Readonly<Record<string, string>> = {
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};
const NULL = '\\N';

/** Returns the events in whole lines of {@link COPY_EVENTS}. */
export function rowsIn(lines: Buffer): StoredRow[] {
  // The last line ends like all others.
  return lines
    .toString('utf8', 0, lines.length - 1)
    .split('\n')
    .map(rowIn);
}

function rowIn(line: string): StoredRow {
  const fields = line.split('\t');
  const values = (line.includes('\\') ? fields.map(unescaped) : fields) as string[];
  const [position, orderId, version, type, schemaVersion, data, metadata] = values;
  // A changed schema allows nulls, which the check of each row finds.
  return {
    position: Number(position),
    orderId: orderIdIn(orderId),
    version: Number(version),
    type,
    schemaVersion: Number(schemaVersion),
    data,
    metadata,
  } as StoredRow;
}

function unescaped(field: string): string | null {
  if (field === NULL) return null;
  return field.replace(/\\(.)/g, (_, letter: string) => ESCAPED[letter] ?? letter);
}

/** Returns the id of an order, which was selected as a text, as a row of an event has it. */
export function orderIdIn(text: string | null | undefined): number | string {
  return text && text.length <= MAX_EXACT_DIGITS ? Number(text) : String(text);
}
