import type { StoredRow } from '../app/audit/event-rules.ts';
import type { Finding } from '../app/audit/trail-check.ts';
import { DamagedStore } from '../app/ports/store.ts';

/** What the checks of all engines hold events against, beside their tree. */

/** Throws {@link DamagedStore} for a row of events in which something is wrong that no tree covers. */
export function requireTexts(
  { position, orderId, type, data, metadata }: StoredRow,
  due: number,
): void {
  const areTexts = [type, data, metadata].every((text) => typeof text === 'string');
  // The order's id stands in a column of its own as well.
  if (position === due && areTexts && data.includes(`"orderId":"${orderId}"`)) return;
  throw new DamagedStore(`the event at position ${due} is not what was recorded`);
}

/** Throws {@link DamagedStore} for the first of what was found. */
export function requireNothing([finding]: readonly Finding[]): void {
  if (finding === undefined) return;
  const { from, to = from, problem } = finding;
  const where = from === undefined ? '' : `events ${from} to ${to} are not what was recorded: `;
  throw new DamagedStore(`${where}${problem}`);
}

/** How many bytes rows of events have, about. */
export function bytesIn(rows: readonly StoredRow[]): number {
  return rows.reduce((sum, { data, metadata }) => sum + data.length + metadata.length, 0);
}
