/** The epochs of a log in SQLite (docs/adr/0020). */

import type Database from 'better-sqlite3';
import { now } from '../../app/clock.ts';
import { type AcknowledgedHead, breakAfter } from '../../app/log/acknowledged-head.ts';
import type { BreakReason, Epochs } from '../../app/log/epochs.ts';
import { sha256 } from '../../app/log/merkle-tree.ts';
import { highestOf } from '../../app/log/recorded-event.ts';
import { DamagedStore } from '../../app/ports/store.ts';
import { type EpochRow, epochsFrom, requireOneStore } from '../checking/stored-check.ts';
import { replaceHeadFile } from '../head/head-file.ts';
import { noteEpoch } from '../head/notes.ts';
import { begunHeadOf, headFileOf, readHeadOf } from './head-file.ts';
import { MerkleTables } from './merkle-tables.ts';

/** Returns the epochs of a store's log. */
export function epochsIn(db: Database.Database): Epochs {
  return epochsFrom(storeIdOf(db), epochRowsIn(db));
}

/** Returns the record of all breaks, as it is. */
export function epochRowsIn(db: Database.Database): readonly EpochRow[] {
  const select = db.prepare('SELECT number, statement FROM epochs ORDER BY number');
  return select.raw().all() as EpochRow[];
}

/**
 * Throws {@link DamagedStore} if a log is no longer in the epoch with this number. While a server holds
 * its lock, store-orders begins none.
 */
export function requireSameEpoch(db: Database.Database, number: number): void {
  const found = db.prepare('SELECT count(*) FROM epochs').pluck().get() as number;
  if (found === number) return;
  throw new DamagedStore(`the log was in epoch ${number}, and has ${found} statements of epochs`);
}

/** Returns the id that a store was given when it was created. Throws {@link DamagedStore}. */
export function storeIdOf(db: Database.Database): string {
  return requireOneStore(db.prepare('SELECT id FROM store').raw().all() as [string][])[0];
}

/** The mark of a store that was copied, until somebody continues it. */
export interface Copy {
  /** The reason why a second store exists that could be continued as the same one. */
  readonly kind: 'backup' | 'handed over';
  /** False for a mark that a flipped bit can make of none. */
  readonly isSure: boolean;
  readonly mark: bigint;
}

/** The values of `is_copy`. The words differ from 0, and from each other, in many bits. */
const [NO_COPY, BACKUP, HANDED_OVER] = [0n, wordOf('backup'), wordOf('handed')];
/** The marks of versions before the words. */
const [OLD_BACKUP, OLD_HANDED_OVER] = [1n, 2n];
/** The first bits of the mark of a store that was handed over to a copy with an id. */
const HANDED_TO = wordOf('hand');
/** The other bits of that mark: the first ones of the hash of the id. */
const COPY_ID_BITS = 31n;

/** Returns the number whose bytes are those of a word. */
function wordOf(letters: string): bigint {
  return BigInt(`0x${Buffer.from(letters).toString('hex')}`);
}

/** Returns true if a store is a copy, or was handed over, and was not continued since. */
export function isCopy(db: Database.Database): boolean {
  return copyIn(db) !== undefined;
}

/**
 * Marks a store as a copy, which can be continued only in a new epoch.
 * @param to The id of the copy that it was handed over to.
 */
export function markCopy(db: Database.Database, kind: Copy['kind'], to?: string): void {
  db.prepare('UPDATE store SET is_copy = ?').run(kind === 'backup' ? BACKUP : handedTo(to));
}

/** Returns true if a store was handed over to the copy with this id, and was not continued since. */
export function wasHandedTo(db: Database.Database, copyId: string): boolean {
  return copyIn(db)?.mark === handedTo(copyId);
}

function handedTo(copyId: string | undefined): bigint {
  if (copyId === undefined) return HANDED_OVER;
  const hash = BigInt(sha256(copyId).readUInt32BE(0)) >> (32n - COPY_ID_BITS);
  return (HANDED_TO << COPY_ID_BITS) | hash;
}

/** Returns the mark of a store; `undefined` for none. Throws {@link DamagedStore} for no such mark. */
export function copyIn(db: Database.Database): Copy | undefined {
  const mark = db.prepare('SELECT is_copy FROM store').pluck().safeIntegers().get();
  if (typeof mark === 'bigint' && mark >> COPY_ID_BITS === HANDED_TO)
    return { kind: 'handed over', isSure: true, mark };
  switch (mark) {
    case NO_COPY:
      return undefined;
    case BACKUP:
    case OLD_BACKUP:
      return { kind: 'backup', isSure: mark === BACKUP, mark };
    case HANDED_OVER:
    case OLD_HANDED_OVER:
      return { kind: 'handed over', isSure: true, mark };
    default:
      throw new DamagedStore('the mark of the store as a copy is damaged');
  }
}

/** Adds those statements of breaks that the store does not have yet. */
export function enterEpochs(db: Database.Database, { statements }: Epochs): void {
  const insert = db.prepare('INSERT INTO epochs VALUES (?, ?)');
  const there = epochsIn(db).number;
  db.transaction(() => {
    for (const [index, statement] of statements.slice(there).entries()) {
      insert.run(there + index + 1, statement);
    }
  })();
}

/** Returns the first head of a log that was copied to another file. */
export function firstHeadOf(db: Database.Database): AcknowledgedHead {
  const epochs = epochsIn(db);
  const { size: position, root } = new MerkleTables(db).wholeFrontier().head();
  return {
    storeId: epochs.storeId,
    epoch: epochs.id,
    position,
    root: root.toString('hex'),
    reached: Math.max(position, ...epochs.breaks.map(({ positionsUpTo }) => positionsUpTo ?? 0)),
    highestId: highestOf([highestStoredId(db), epochs.ids.above]),
  };
}

/**
 * Begins a new epoch if the store is a copy that is about to be continued, or completes the beginning
 * of one that was interrupted.
 * @param to The id of the copy by which it is continued. There is none to begin if the store was
 * handed over to that one.
 */
export function beginDueEpoch(file: string, db: Database.Database, to?: string): Epochs {
  const begin = db.transaction(() => {
    const copy = copyIn(db);
    if (copy === undefined || (to !== undefined && copy.mark === handedTo(to))) return;
    // The head beside a store that was handed over does not cover the events recorded elsewhere
    // since; nor does a head as old as the backup cover the events after it.
    const head = readHeadOf(file);
    const isExact =
      copy.kind === 'backup' && (head?.position ?? 0) > new MerkleTables(db).wholeSize();
    recordBreak(file, db, 'copy_continued', { head, isExact });
  });
  if (isCopy(db)) begin.immediate();
  return completeBegun(file, db);
}

/**
 * Makes the first head of an epoch that was begun the head of the store. Under the write lock: of two
 * processes that do so, the slower one would replace the head of what the other has appended since.
 */
function completeBegun(file: string, db: Database.Database): Epochs {
  const epochs = epochsIn(db);
  const complete = db.transaction(() => {
    const begun = begunHeadOf(file, epochs);
    if (begun !== undefined) replaceHeadFile(headFileOf(file), begun);
  });
  if (begunHeadOf(file, epochs) !== undefined) complete.immediate();
  return epochs;
}

/**
 * Begins a new epoch at the current end of the log.
 * @param isExact True if the head certainly covers all that was acknowledged.
 */
export function acceptBreak(file: string, db: Database.Database, isExact: boolean): Epochs {
  const head = readHeadOf(file);
  const begin = db.transaction(() => recordBreak(file, db, 'loss_accepted', { head, isExact }));
  begin.immediate();
  return completeBegun(file, db);
}

/**
 * Records a break in a transaction. The first head of the new epoch is noted before the commit: a
 * statement without such a note was recorded by somebody else.
 */
function recordBreak(
  file: string,
  db: Database.Database,
  reason: BreakReason,
  { head: acknowledged, isExact }: { head: AcknowledgedHead | undefined; isExact: boolean },
): void {
  const before = epochsIn(db);
  const { size: position, root } = new MerkleTables(db).wholeFrontier().head();
  const cut = {
    at: now(),
    reason,
    position,
    root,
    highestId: highestStoredId(db),
    acknowledged,
    isExact,
  };
  const begun = breakAfter(before, cut);
  noteEpoch(headFileOf(file), begun.acknowledged);
  db.prepare('INSERT INTO epochs VALUES (?, ?)').run(before.number + 1, begun.statement);
  db.exec('UPDATE store SET is_copy = 0');
}

function highestStoredId(db: Database.Database): bigint {
  const select = db.prepare('SELECT coalesce(max(order_id), 0) FROM events').pluck().safeIntegers();
  return select.get() as bigint;
}
