/** Opens stores in SQLite: for a server, and for a command. */

import { statSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import type Database from 'better-sqlite3';
import type { CommandLineStore, IfAbsent, Store, StoreWatcher } from '../../app/ports/store.ts';
import { type CheckingThread, checkInThread, openChecked } from '../checking/checking-thread.ts';
import { Readability } from '../checking/reported.ts';
import { namingCauses } from '../events/named-causes.ts';
import { SnapshotFile, snapshotBeside } from '../snapshot/snapshot-file.ts';
import { copyAsBackup } from './backup.ts';
import { openDatabase } from './database.ts';
import { epochsIn } from './epochs-table.ts';
import { openLog, WATCH_INTERVAL_MS } from './event-log.ts';
import { noteKeyChangesIn } from './key-store.ts';
import { rootsIn } from './merkle-tables.ts';
import { partsOf, type Readers, readersOf } from './parts.ts';
import { SqliteRefusals } from './refusals.ts';
import { lockForServer } from './start/server-lock.ts';
import { requireWritable } from './start/writable.ts';
import { isBusy, orDamaged, orUnavailable } from './storage/fault.ts';
import { named, namingFile } from './store-file.ts';
import { foldSourceIn } from './stored-events.ts';
import { WaitingStore } from './waiting.ts';
import { WorkerWriter } from './worker-writer.ts';

/** The size of a file that is checked in less than half a second: about 100,000 events. */
const SHORT_CHECK_BYTES = 33_554_432;

/** Reads no row of the tables that requests need. It fails if one of them is missing. */
const TABLES_THERE = `
  SELECT 1 FROM api_keys, key_changes, kept_outcomes, tree_nodes, event_traces, epochs, store
    WHERE 0`;

/**
 * The time in which a server sees what another process has recorded: twice the interval of its look at
 * the log. Its own writer tells it at once, so it does not look for each request.
 */
const NOTICED_MS = 2 * WATCH_INTERVAL_MS;

/**
 * Opens a SQLite file for a server, with the writer in another thread, and in this one a second
 * connection for all reads. Resolves as soon as the file can be read, even if it cannot be written.
 * @param scrub The rate of the repeated check of all files, in bytes a second; 0: they are checked
 * once. Absent: never.
 */
export async function openSqliteStore(
  file: string,
  given: Pick<StoreWatcher, 'lost' | 'impaired'> & Partial<StoreWatcher>,
  scrub?: number,
): Promise<Store> {
  const watcher: StoreWatcher = { mended() {}, noticed() {}, ...given };
  return openChecked('sqlite', scrub, watcher, (check) => open(file, watcher, check));
}

async function open(file: string, watcher: StoreWatcher, check?: CheckingThread): Promise<Store> {
  const writer = new WorkerWriter(file, watcher);
  const refusals = new SqliteRefusals(file);
  const waiting = await writer.opened();
  const { waits, readers } = await orClose(writer, () => {
    const waits = waiting && new WaitingStore(file, writer, watcher, waiting);
    const readers = waits?.readers ?? openReaders(file, writer, watcher);
    check?.begin(file, statSync(file).size <= SHORT_CHECK_BYTES);
    return { waits, readers };
  });
  return {
    ...readers,
    refusals,
    writer,
    inDoubt: 'stop',
    checkpoints: () => writer.checkpoints,
    madeAt: writer.madeAt,
    begin: waits?.begin ?? ((start) => writer.begin(start.packImage())),
    ...(check && { check }),
    async close() {
      await check?.close();
      await (waits ?? writer).close();
      refusals.close();
      await readers.foldSource.close?.();
      await readers.log.close();
    },
  };
}

function openReaders(file: string, { signal }: WorkerWriter, watcher: StoreWatcher): Readers {
  // Without a guard: the writer's thread has just checked the files, and holds the server's lock.
  const db = openDatabase(file, () => {});
  // Keys are added over this connection.
  requireWritable(file, db);
  db.pragma('wal_autocheckpoint = 0');
  const readability = new Readability(watcher);
  return named(file, () => {
    const tables = db.prepare(TABLES_THERE);
    const looked = (error = errorOf(db, () => tables.get())) =>
      isBusy(error) || readability.note(error);
    return readersOf(file, db, { signal, looked });
  });
}

/** Returns the error of a look at the store; undefined if it has none. */
function errorOf({ name }: Database.Database, look: () => unknown): Error | undefined {
  try {
    look();
    return undefined;
  } catch (error) {
    return orDamaged(error, name) as Error;
  }
}

/** Returns what is opened beside the writer. If that fails, its thread would keep the process alive. */
async function orClose<Opened>(writer: WorkerWriter, open: () => Opened): Promise<Opened> {
  try {
    return open();
  } catch (error) {
    await writer.close();
    throw error;
  }
}

/** Opens a SQLite file for a command: one connection, used in this thread. */
export function openSqliteForCommandLine(file: string, ifAbsent?: IfAbsent): CommandLineStore {
  const db = openDatabase(file, undefined, ifAbsent);
  return named(file, () => orUnavailable(db, () => commandLineStoreOf(file, db)));
}

function commandLineStoreOf(file: string, db: Database.Database): CommandLineStore {
  const log = openLog(file, db);
  noteKeyChangesIn(db);
  const refusals = new SqliteRefusals(file);
  const epochs = epochsIn(db);
  return {
    ...partsOf(db),
    id: epochs.storeId,
    epochs,
    log: namingCauses(log, (error) => namingFile(error, file)),
    foldSource: foldSourceIn(db),
    snapshots: new SnapshotFile(snapshotBeside(file), epochs.storeId, rootsIn(db)),
    refusals,
    async takeOver(fill) {
      // A running server has folded an empty log, and would continue from that.
      const unlock = lockForServer(file);
      try {
        await log.takeOver(fill);
      } finally {
        unlock();
      }
    },
    checked: (signal) => checkInThread('sqlite', file, signal),
    backup: (to, signal) => copyAsBackup(db, to, signal),
    async close() {
      refusals.close();
      const { hasGrown } = log;
      await log.close();
      // Whoever sees the command end finds in the lists of a running server what it has recorded.
      if (hasGrown) await setTimeout(NOTICED_MS);
    },
  };
}
