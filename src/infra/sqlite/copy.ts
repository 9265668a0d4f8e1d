/** Copies of a store into a SQLite file, and from one. */

import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type Database from 'better-sqlite3';
import { StoreIsThere, UserError } from '../../app/lifecycle/user-error.ts';
import type { StoredFields } from '../../app/log/recorded-event.ts';
import type { StoreCopy, StoreOriginal } from '../../app/ports/store-copy.ts';
import { decode } from '../events/codec.ts';
import { replaceHeadFile } from '../head/head-file.ts';
import { makeFolder } from '../process/make-folder.ts';
import { syncFolder } from '../process/sync-folder.ts';
import { openDatabase, requireWholeLog } from './database.ts';
import {
  beginDueEpoch,
  enterEpochs,
  epochsIn,
  firstHeadOf,
  markCopy,
  storeIdOf,
  wasHandedTo,
} from './epochs-table.ts';
import { EventTraces } from './event-traces.ts';
import { requireFree } from './free-name.ts';
import { headFileOf } from './head-file.ts';
import { KeptOutcomesTable } from './kept-outcomes-table.ts';
import { LogTransaction } from './log-transaction.ts';
import { MerkleTables } from './merkle-tables.ts';
import { partsOf } from './parts.ts';
import { SqliteRefusals } from './refusals.ts';
import { lockForCopy, lockForServer } from './start/server-lock.ts';
import { orUnavailable } from './storage/fault.ts';
import { named } from './store-file.ts';

/** Opens a store in SQLite to copy it. Throws {@link UserError} while it is served. */
export function openSqliteOriginal(file: string): StoreOriginal {
  const db = openDatabase(file, undefined, 'refuse');
  let unlock: () => void;
  try {
    unlock = lockForServer(file);
  } catch (error) {
    db.close();
    throw error;
  }
  requireWholeLog(file, db);
  const { storeId } = epochsIn(db);
  const kept = new KeptOutcomesTable(db);
  const parts = closable(file, db);
  return {
    ...parts,
    id: storeId,
    beginDueEpoch: async (copyId) => named(file, () => beginDueEpoch(file, db, copyId)),
    keptOutcomes: async (after, limit) => orUnavailable(db, () => kept.after(after, limit)),
    handOver: async (copyId) => named(file, () => markCopy(db, 'handed over', copyId)),
    wasHandedTo: async (copyId) => orUnavailable(db, () => wasHandedTo(db, copyId)),
    async close() {
      await parts.close();
      unlock();
    },
  };
}

/**
 * Begins a copy of the store with this id, or continues one that was interrupted. Until the copy is
 * complete its file has another name, so that it cannot be opened as a store.
 */
export function openSqliteCopy(file: string, id: string): StoreCopy {
  const unfinished = `${file}-copying`;
  requireNoStore(file, unfinished);
  makeFolder(dirname(file));
  const unlock = lockForCopy(file);
  let isComplete = false;
  let db: Database.Database;
  try {
    // Another copy may have ended before the lock was taken.
    requireNoStore(file, unfinished);
    db = openUnfinished(unfinished, id);
  } catch (error) {
    unlock();
    throw error;
  }
  const parts = closable(unfinished, db);
  const kept = new KeptOutcomesTable(db);
  return {
    ...parts,
    copyId: copyIdOf(unfinished),
    async close() {
      await parts.close();
      unlock();
      // Last of all: until then, a copy whose end was not reported is recognized by its id.
      if (isComplete) rmSync(copyIdFile(unfinished), { force: true });
    },
    append: async (events, traces) => append(db, events, traces),
    keep: async (outcomes) => {
      db.transaction(() => {
        for (const outcome of outcomes) {
          if (kept.recall(outcome.by, outcome.key) === undefined) kept.keep(outcome);
        }
      })();
    },
    enter: async (epochs) => enterEpochs(db, epochs),
    async finish() {
      replaceHeadFile(headFileOf(file), firstHeadOf(db));
      await parts.close();
      for (const end of ['-refusals', '']) {
        if (existsSync(unfinished + end)) renameSync(unfinished + end, file + end);
      }
      syncFolder(dirname(file));
      isComplete = true;
    },
  };
}

/** Throws {@link StoreIsThere} if a copy must not be begun under a name. */
function requireNoStore(file: string, unfinished: string): void {
  try {
    requireFree(file);
  } catch (error) {
    const isCopy = existsSync(file) && !existsSync(unfinished);
    throw new StoreIsThere((error as Error).message, isCopy ? copyIdOf(unfinished) : undefined);
  }
}

/** Opens the unfinished copy of the store with this id, and begins one if there is none. */
function openUnfinished(unfinished: string, id: string): Database.Database {
  if (!existsSync(unfinished)) makeStore(unfinished, id);
  // Without a guard: a copy has no head beside it until it is complete.
  const db = openDatabase(unfinished, () => {});
  if (storeIdOf(db) === id) return db;
  db.close();
  throw new UserError(`${unfinished} is a copy of another store and was left as it is.`);
}

/** Returns the id of an unfinished copy; `undefined` if an older version began it. */
function copyIdOf(unfinished: string): string | undefined {
  const file = copyIdFile(unfinished);
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

// Beside the copy and not in it, so that a copy is complete, and no longer one, with its rename alone.
function copyIdFile(unfinished: string): string {
  return `${unfinished}-id`;
}

/** Makes an empty store with an id, as a whole: one that has another id is taken for another's copy. */
function makeStore(file: string, id: string): void {
  const made = `${file}-new`;
  for (const end of ['', '-wal', '-shm']) rmSync(made + end, { force: true });
  const db = openDatabase(made, () => {});
  try {
    db.prepare('UPDATE store SET id = ?').run(id);
    // Moves everything into the one file that is renamed. Throws if that fails, which a close does not.
    db.pragma('journal_mode = DELETE');
  } finally {
    db.close();
  }
  writeFileSync(copyIdFile(file), randomBytes(8).toString('hex'), { flush: true });
  renameSync(made, file);
}

function closable(file: string, db: Database.Database) {
  const refusals = new SqliteRefusals(file);
  return {
    ...partsOf(db),
    refusals,
    async close() {
      refusals.close();
      // Closing the last connection moves everything from the `-wal` file into the store's file.
      db.close();
    },
  };
}

function append(
  db: Database.Database,
  events: readonly StoredFields[],
  traces: ReadonlyMap<number, string>,
): void {
  const tree = new MerkleTables(db);
  const transaction = new LogTransaction(db, tree);
  const eventTraces = new EventTraces(db);
  db.transaction(() => {
    tree.wholeSize();
    transaction.insert(events, events.map(decode));
    for (const trace of traces) eventTraces.add(...trace);
  }).immediate();
}
