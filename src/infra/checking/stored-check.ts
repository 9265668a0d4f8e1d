/** Checks of stored data that all engines share. Each throws {@link DamagedStore}. */

import type { Finding } from '../../app/audit/proofs/trail-check.ts';
import { readNoteKey } from '../../app/audit/proofs/verifier.ts';
import type { StoredTreeCheck } from '../../app/audit/trail/stored-tree-check.ts';
import { UserError } from '../../app/lifecycle/user-error.ts';
import { DamagedEpochs, Epochs } from '../../app/log/epochs.ts';
import { type Frontier, HASH_BYTES, type TreeHead } from '../../app/log/merkle-tree.ts';
import { hasRightTypes, recordOf } from '../../app/log/recorded-event.ts';
import type { StoredRow } from '../../app/ports/evidence.ts';
import { MAX_REFUSALS } from '../../app/ports/refusal-trail.ts';
import type { SignedWith } from '../../app/ports/signing-keys.ts';
import { DamagedStore } from '../../app/ports/store.ts';
import { type Instant, isInstant } from '../../domain/instant.ts';
import { decodeRefusal } from '../events/refusal-codec.ts';
import type { Pace } from './keep-checking.ts';

/**
 * Compares the next events of a log with its tree.
 * @param after The position before them.
 * @param isEnd True if they are the last, so that the tree must end with them.
 */
export function checkEvents(
  tree: StoredTreeCheck,
  rows: readonly StoredRow[],
  after: number,
  isEnd: boolean,
): void {
  for (const [index, row] of rows.entries()) {
    requireColumns(row, after + 1 + index);
    tree.append(recordOf(row));
  }
  requireNothing(tree.findings());
  if (isEnd) requireNothing(tree.end(after + rows.length));
}

/** Throws for a row of events with a flaw that the tree does not cover. */
function requireColumns(row: StoredRow, due: number): void {
  // The order's id is stored a second time, in a column of its own.
  const { position, orderId, data } = row;
  if (position === due && hasRightTypes(row) && data.includes(`"orderId":"${orderId}"`)) return;
  throw new DamagedStore(`the event at position ${due} is not what was recorded`);
}

function requireNothing([finding]: readonly Finding[]): void {
  if (finding === undefined) return;
  const { from, to = from, problem } = finding;
  const where = from === undefined ? '' : `events ${from} to ${to} are not what was recorded: `;
  throw new DamagedStore(`${where}${problem}`);
}

/** Returns a hash that was read, or bytes that are no hash for a value of another type. */
export function bytesOrNone(value: unknown): Buffer {
  return Buffer.isBuffer(value) ? value : Buffer.alloc(0);
}

/**
 * Returns nodes of one height of the tree. Throws {@link DamagedStore} if one is missing, or is
 * anything but a hash.
 */
export function requireNodes(values: readonly unknown[], height: number, count: number): Buffer[] {
  if (values.length === count) return values.map(requireHash);
  throw new DamagedStore(`the tree of the log lacks nodes at height ${height}`);
}

function requireHash(value: unknown): Buffer {
  if (Buffer.isBuffer(value) && value.length === HASH_BYTES) return value;
  throw new DamagedStore('a node of the tree of the log is damaged');
}

/** Returns the only row of the table of the store itself. Throws {@link DamagedStore} if it is not. */
export function requireOneStore<Row extends readonly unknown[]>(rows: readonly Row[]): Row {
  const [row] = rows;
  if (row === undefined || rows.length > 1) {
    throw new DamagedStore(`the table store has ${rows.length} rows, and must have one`);
  }
  if (/^[0-9a-f]{16}$/.test(String(row[0]))) return row;
  throw new DamagedStore('the id of the store is damaged');
}

/** A row of the record of signing keys. */
export type SigningKeyRow = readonly [number: number, verifierKey: string, since: string];

/** Returns all signing keys. Throws {@link DamagedStore} for a row that no version has recorded. */
export function signedWithIn(rows: readonly SigningKeyRow[]): readonly SignedWith[] {
  return rows.map(([number, verifierKey, since], index) => {
    // The first key of a store that is older than the record is unknown.
    const isUnknown = index === 0 && verifierKey === '' && since === '';
    const isKey = readNoteKey(verifierKey).ok && isInstant(since);
    if (number === index + 1 && (isKey || isUnknown))
      return { verifierKey, since: since as Instant };
    throw new DamagedStore(`row ${number} of the record of signing keys is not what was recorded`);
  });
}

/** Returns the approximate size of rows of events, in bytes. */
export function bytesIn(rows: readonly StoredRow[]): number {
  return rows.reduce((sum, { data, metadata }) => sum + data.length + metadata.length, 0);
}

type RefusalRow = readonly [position: number, record: string];

/**
 * Checks that every refusal can be read.
 * @param readAfter Reads the next rows after a position.
 */
export async function checkRefusals(
  readAfter: (position: number) => readonly RefusalRow[] | Promise<readonly RefusalRow[]>,
  pace: Pace,
): Promise<void> {
  let first: number | undefined;
  let last = 0;
  for (;;) {
    const rows = await readAfter(last);
    first ??= rows[0]?.[0];
    let bytes = 0;
    for (const [index, [position, text]] of rows.entries()) {
      // Between two chunks, the oldest may have been dropped.
      if (position < 1 || (index > 0 && position !== last + 1)) {
        throw new DamagedStore(`the refusal at position ${last + 1} is missing`);
      }
      decodeRefusal(position, text);
      bytes += text.length;
      last = position;
    }
    if (rows.length === 0) break;
    await pace(bytes);
  }
  // The oldest are dropped only when there are too many.
  if (first !== undefined && first !== 1 && last - first + 1 < MAX_REFUSALS) {
    throw new DamagedStore(`the refusal at position ${first - 1} is missing`);
  }
}

/** A row of the record of breaks. */
export type EpochRow = readonly [number: number, statement: string];

/** Returns the epochs that the rows describe, in their order. Throws {@link DamagedEpochs}. */
export function epochsFrom(storeId: string, rows: readonly EpochRow[]): Epochs {
  const epochs = new Epochs(
    storeId,
    rows.map(([, statement]) => statement),
  );
  // The next row must have the next number, and no statement says which row has it.
  for (const [index, [number]] of rows.entries()) {
    if (number === index + 1) continue;
    throw new DamagedEpochs(`the statement of epoch ${index + 1} is recorded under another number`);
  }
  return epochs;
}

/** Throws {@link DamagedStore} unless the rows describe the epochs of a store. Returns these. */
export function requireEpochs(storeId: string, rows: readonly EpochRow[]): Epochs {
  const flaws: string[] = [];
  const epochs = epochsOf(storeId, rows, flaws);
  for (const flaw of flaws) throw new DamagedStore(flaw);
  return epochs;
}

/**
 * Returns the epochs that the rows describe. If these are damaged, adds that to `flaws` and
 * returns the first epoch only.
 */
export function epochsOf(storeId: string, rows: readonly EpochRow[], flaws: string[]): Epochs {
  try {
    return epochsFrom(storeId, rows);
  } catch (error) {
    if (!(error instanceof DamagedEpochs)) throw error;
    flaws.push(error.message);
    return new Epochs(storeId);
  }
}

/** An object of a schema: its kind and name, such as "trigger events_never_change", and its text. */
export type Definition = readonly [name: string, text: string | null];

/**
 * Returns the differences of a schema from the expected one, each as a clause. The schema includes
 * the triggers that refuse changes. Two objects may have the same name, such as triggers of two
 * tables.
 */
export function differences(due: readonly Definition[], there: readonly Definition[]): string[] {
  const other = without(due, there).map(([name]) => name);
  const more = without(there, due).map(([name]) => name);
  const replaced = new Set(other.filter((name) => more.includes(name)));
  const missing = other.map((name) => {
    return `the ${name} of the database is ${replaced.has(name) ? 'another one' : 'not there'}`;
  });
  const names = new Set(due.map(([name]) => name));
  const added = more
    .filter((name) => !replaced.delete(name))
    .map((name) => {
      return `the ${name} of the database is ${names.has(name) ? 'there twice' : "none of this program's"}`;
    });
  return [...missing, ...added];
}

/** Returns the objects of a list without those of another one, each as often as it is there. */
function without(list: readonly Definition[], others: readonly Definition[]): Definition[] {
  const rest = [...others];
  return list.filter(([name, text]) => {
    const index = rest.findIndex(([other, definition]) => other === name && definition === text);
    if (index !== -1) rest.splice(index, 1);
    return index === -1;
  });
}

/** Throws {@link UserError} for a schema that only a later version of this program can read. */
export function refuseNewerSchema(name: string, version: number, newest: number): void {
  if (version <= newest) return;
  throw new UserError(
    `${name} has schema ${version}, and this version knows up to ${newest}: ` +
      'start a newer version of store-orders. Nothing was changed.',
  );
}

/** Returns the error with which a start fails when the log's size could not be read. */
export function orUnwhole(error: unknown, name: string): unknown {
  if (!(error instanceof DamagedStore)) return error;
  return new UserError(
    `${name} is damaged: ${error.message}. Nothing was changed. ` +
      'Find out what else is wrong (store-orders verify), and restore a backup.',
  );
}

/** Throws {@link UserError} if the store that is to receive another one's events has events. */
export function requireEmpty(head: number): void {
  if (head > 0)
    throw new UserError(`The store has ${head} events: the import requires an empty one.`);
}

/** Throws if the received events have another tree than in their original store. */
export function requireSameTree(tree: Frontier, due: TreeHead): void {
  if (tree.size !== due.size || !tree.root().equals(due.root)) {
    throw new Error('the tree of these events is another one');
  }
}

/** Throws {@link DamagedStore} for the position of a trace of which the log has no event. */
export function requireNoTraceOf(position: number | undefined): void {
  if (position === undefined) return;
  throw new DamagedStore(`the trace at position ${position} is of no event`);
}

/** Throws {@link DamagedStore} unless as many kept outcomes are found as were recorded. */
export function requireAllKept(recorded: number, found: number): void {
  if (found === recorded) return;
  throw new DamagedStore(`${recorded} kept outcomes were recorded, and ${found} are found`);
}
