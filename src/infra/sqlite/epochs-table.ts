import type Database from 'better-sqlite3';
import { now } from '../../app/clock.ts';
import { type BreakReason, Epochs } from '../../app/epochs.ts';
import { givenBefore, highestOf, knownBefore, type Witness } from '../../app/witness.ts';
import { replaceWitness } from '../witness-file.ts';
import { headFileOf, readHeadOf } from './head-file.ts';
import { MerkleTables } from './merkle-tables.ts';

/** The epochs that the log of a store has been in. */
export function epochsIn(db: Database.Database): Epochs {
  const statements = db.prepare('SELECT statement FROM epochs ORDER BY number').pluck().all();
  return new Epochs(
    db.prepare('SELECT id FROM store').pluck().get() as string,
    statements as string[],
  );
}

/** What makes a store one of two, of which each could go on as the same. */
type Copy = 'backup' | 'handed over';

const COPIES: readonly (Copy | undefined)[] = [undefined, 'backup', 'handed over'];

/** Whether a store is a copy, or has one, and nobody has gone on with it since. */
export function isCopy(db: Database.Database): boolean {
  return copyIn(db) !== undefined;
}

/** Marks a store: whoever goes on with it begins a new epoch. */
export function markCopy(db: Database.Database, copy: Copy): void {
  db.prepare('UPDATE store SET is_copy = ?').run(COPIES.indexOf(copy));
}

function copyIn(db: Database.Database): Copy | undefined {
  return COPIES[db.prepare('SELECT is_copy FROM store').pluck().get() as number];
}

/** Adds statements of breaks, as far as they are not there yet. */
export function enterEpochs(db: Database.Database, { statements }: Epochs): void {
  const insert = db.prepare('INSERT INTO epochs VALUES (?, ?)');
  const there = epochsIn(db).number;
  db.transaction(() => {
    for (const [index, statement] of statements.slice(there).entries()) {
      insert.run(there + index + 1, statement);
    }
  })();
}

/** What a log that was copied to another file is known by from the beginning. */
export function witnessOf(db: Database.Database): Witness {
  const epochs = epochsIn(db);
  const { size: position, root } = headOf(db);
  return {
    storeId: epochs.storeId,
    epoch: epochs.id,
    position,
    root: root.toString('hex'),
    reached: Math.max(position, ...epochs.breaks.map(({ positionsUpTo }) => positionsUpTo ?? 0)),
    highestId: highestOf(idsIn(db, epochs)),
  };
}

/** Begins the epoch that is due where a copy is about to be gone on with. */
export function beginDueEpoch(file: string, db: Database.Database): Epochs {
  const begin = db.transaction(() => {
    const copy = copyIn(db);
    if (copy === undefined) return undefined;
    // The head of a store that goes on elsewhere does not tell what was given there; nor does one that
    // is as old as the backup tell what has come after it.
    const head = readHeadOf(file);
    const isExact = copy === 'backup' && (head?.position ?? 0) > headOf(db).size;
    return recordBreak(db, { reason: 'copy_continued', isExact, head });
  });
  noteBreak(file, begin.immediate());
  return epochsIn(db);
}

/**
 * Begins a new epoch, where the log ends now.
 * @param isExact Whether the head certainly tells of all that was acknowledged.
 */
export function acceptBreak(file: string, db: Database.Database, isExact: boolean): Epochs {
  const head = readHeadOf(file);
  const begin = db.transaction(() => recordBreak(db, { reason: 'loss_accepted', isExact, head }));
  noteBreak(file, begin.immediate());
  return epochsIn(db);
}

interface Cause {
  readonly reason: BreakReason;
  readonly isExact: boolean;
  readonly head: Witness | undefined;
}

/** Records a break, and returns what is known of the log from then on. */
function recordBreak(db: Database.Database, { reason, isExact, head }: Cause): Witness {
  const before = epochsIn(db);
  const known = head?.storeId === before.storeId ? head : undefined;
  const given = givenBefore(isExact ? known : undefined, idsIn(db, before, known));
  const { size: position, root } = headOf(db);
  const statement = before.statementOf({
    at: now(),
    reason,
    position,
    root: root.toString('base64'),
    known: knownBefore(known),
    positionsUpTo: given.positionsUpTo,
    idsUpTo: String(given.idsUpTo),
  });
  db.prepare('INSERT INTO epochs VALUES (?, ?)').run(before.number + 1, statement);
  db.exec('UPDATE store SET is_copy = 0');
  const { storeId, id: epoch } = epochsIn(db);
  return {
    storeId,
    epoch,
    position,
    root: root.toString('hex'),
    reached: Math.max(position, known?.reached ?? 0),
    highestId: given.idsUpTo,
  };
}

function noteBreak(file: string, witness: Witness | undefined): void {
  if (witness !== undefined) replaceWitness(headFileOf(file), witness);
}

function headOf(db: Database.Database) {
  const frontier = new MerkleTables(db).wholeFrontier();
  return { size: frontier.size, root: frontier.root() };
}

/** The highest ids that are known to have been given: by the log, its epochs, or a witness. */
function idsIn(db: Database.Database, epochs: Epochs, witness?: Witness): bigint[] {
  const inLog = db.prepare('SELECT coalesce(max(order_id), 0) FROM events').pluck().safeIntegers();
  return [inLog.get() as bigint, epochs.ids.above, witness?.highestId ?? 0n];
}
