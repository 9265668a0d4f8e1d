import { existsSync } from 'node:fs';
import type Database from 'better-sqlite3';
import { CannotStart } from '../../app/cannot-start.ts';
import type { CommandLineStore, Store, StoreWatcher } from '../../app/ports/store.ts';
import { ChunkedFacts } from '../chunked-facts.ts';
import { END } from '../facts-parser.ts';
import { openDatabase, storeIdOf } from './database.ts';
import { factChunksOf } from './fact-chunks.ts';
import { FactsAhead } from './facts-ahead.ts';
import { HeadSignal } from './head-file.ts';
import { lockForServer } from './server-lock.ts';
import { SnapshotFile } from './snapshot-file.ts';
import { openLog, SqliteEventLog } from './sqlite-event-log.ts';
import { SqliteKeyStore } from './sqlite-key-store.ts';
import { SqliteRefusals } from './sqlite-refusals.ts';
import { SqliteSigningKeys } from './sqlite-signing-keys.ts';
import { SqliteTrail } from './sqlite-trail.ts';
import { StoredEvents } from './stored-events.ts';
import { WorkerWriter } from './worker-writer.ts';

/**
 * Opens a SQLite file for a server: the writer in a thread of its own, and on this thread a
 * second connection for everything that is read. Resolves as soon as the file can be read.
 */
export async function openSqliteStore(
  file: string,
  watcher: Pick<StoreWatcher, 'lost' | 'impaired'>,
): Promise<Store> {
  const writer = new WorkerWriter(file, watcher);
  await writer.opened();
  // The writer's thread has looked at the files a moment ago, and is the only one to serve them.
  const db = openDatabase(file, () => {});
  const id = storeIdOf(db);
  const refusals = new SqliteRefusals(file);
  const log = new SqliteEventLog(db, undefined, new HeadSignal(file));
  return {
    id,
    log,
    facts: new ChunkedFacts(factChunksOf(db, END), storedIn(db)),
    trail: new SqliteTrail(db),
    refusals,
    writer,
    inDoubt: 'stop',
    begin: ({ image }) => writer.begin(image.pack()),
    keys: new SqliteKeyStore(db),
    signingKeys: new SqliteSigningKeys(db),
    snapshots: new SnapshotFile(file, id, db),
    async close() {
      await writer.close();
      refusals.close();
      await log.close();
    },
  };
}

/** Opens a SQLite file for a command line tool: one connection, everything in this thread. */
export function openSqliteForCommandLine(file: string): CommandLineStore {
  const db = openDatabase(file);
  const log = openLog(file, db);
  const refusals = new SqliteRefusals(file);
  const ahead = new FactsAhead(file, END);
  return {
    id: storeIdOf(db),
    log,
    facts: new ChunkedFacts(ahead.chunkAfter, storedIn(db)),
    trail: new SqliteTrail(db),
    refusals,
    keys: new SqliteKeyStore(db),
    signingKeys: new SqliteSigningKeys(db),
    async takeOver(fill) {
      // A server would go on from what it has read, and it has read nothing.
      const unlock = lockForServer(file);
      try {
        await log.takeOver(fill);
      } finally {
        unlock();
      }
    },
    async backup(to) {
      if (existsSync(to)) throw new CannotStart(`${to} is there already and was left as it is.`);
      await db.backup(to);
    },
    async close() {
      refusals.close();
      await ahead.close();
      await log.close();
    },
  };
}

function storedIn(db: Database.Database) {
  const stored = new StoredEvents(db);
  return (after: number, count: number) => stored.read(after, count);
}
