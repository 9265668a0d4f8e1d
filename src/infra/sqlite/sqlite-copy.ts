import { closeSync, existsSync, fsyncSync, openSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';
import type Database from 'better-sqlite3';
import { CannotStart } from '../../app/cannot-start.ts';
import type { StoreCopy, StoreOriginal } from '../../app/ports/store-copy.ts';
import { decode, type StoredEvent } from '../event-codec.ts';
import { replaceWitness } from '../witness-file.ts';
import { openDatabase, storeIdOf } from './database.ts';
import { beginDueEpoch, enterEpochs, markCopy, witnessOf } from './epochs-table.ts';
import { headFileOf } from './head-file.ts';
import { KeptOutcomesTable } from './kept-outcomes-table.ts';
import { MerkleTables } from './merkle-tables.ts';
import { lockForServer } from './server-lock.ts';
import { requireWholeLog } from './sqlite-event-log.ts';
import { SqliteKeyStore } from './sqlite-key-store.ts';
import { SqliteRefusals } from './sqlite-refusals.ts';
import { SqliteSigningKeys } from './sqlite-signing-keys.ts';
import { SqliteTrail } from './sqlite-trail.ts';

/** Opens a store in SQLite to copy it. Throws {@link CannotStart} while it is served. */
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
  const epochs = beginDueEpoch(file, db);
  const kept = new KeptOutcomesTable(db);
  const parts = partsOf(file, db);
  return {
    ...parts,
    id: epochs.storeId,
    epochs,
    keptOutcomes: async (after, limit) => kept.after(after, limit),
    handOver: async () => markCopy(db, 'handed over'),
    async close() {
      await parts.close();
      unlock();
    },
  };
}

/**
 * Opens a file to make it a copy of the store with this id, or to go on with that. Until it is
 * whole it has another name, so that nobody takes it for a store.
 */
export function openSqliteCopy(file: string, id: string): StoreCopy {
  if (existsSync(file)) {
    throw new CannotStart(`${file} is there already and was left as it is.`);
  }
  const unfinished = `${file}-copying`;
  const isNew = !existsSync(unfinished);
  // What is copied has no head before it is whole.
  const db = openDatabase(unfinished, () => {});
  if (isNew) db.prepare('UPDATE store SET id = ?').run(id);
  if (storeIdOf(db) !== id) {
    db.close();
    throw new CannotStart(`${unfinished} is a copy of another store and was left as it is.`);
  }
  const parts = partsOf(unfinished, db);
  const kept = new KeptOutcomesTable(db);
  return {
    ...parts,
    append: async (events) => append(db, events),
    keep: async (outcomes) => {
      db.transaction(() => {
        for (const outcome of outcomes) {
          if (kept.recall(outcome.by, outcome.key) === undefined) kept.keep(outcome);
        }
      })();
    },
    enter: async (epochs) => enterEpochs(db, epochs),
    async finish() {
      replaceWitness(headFileOf(file), witnessOf(db));
      await parts.close();
      for (const end of ['-refusals', '']) {
        if (existsSync(unfinished + end)) renameSync(unfinished + end, file + end);
      }
      const folder = openSync(dirname(file), 'r');
      fsyncSync(folder);
      closeSync(folder);
    },
  };
}

function partsOf(file: string, db: Database.Database) {
  const refusals = new SqliteRefusals(file);
  return {
    trail: new SqliteTrail(db),
    refusals,
    keys: new SqliteKeyStore(db),
    signingKeys: new SqliteSigningKeys(db),
    async close() {
      refusals.close();
      // The last connection to close puts everything into the one file.
      db.close();
    },
  };
}

function append(db: Database.Database, events: readonly StoredEvent[]): void {
  const insert = db.prepare('INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?)');
  const tree = new MerkleTables(db);
  db.transaction(() => {
    tree.wholeSize();
    for (const stored of events) {
      const { position, version, type, schemaVersion, data, metadata } = stored;
      const { orderId } = decode(stored).event;
      insert.run(position, orderId, version, type, schemaVersion, data, metadata);
    }
    tree.append(events);
  }).immediate();
}
