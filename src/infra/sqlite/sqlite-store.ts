import { rmSync, statSync } from 'node:fs';
import type { Impairment } from '../../app/impairment.ts';
import {
  type CommandLineStore,
  DamagedStore,
  type Store,
  type StoreWatcher,
} from '../../app/ports/store.ts';
import { CheckingThread, checkInThread } from '../checking-thread.ts';
import { ChunkedFacts } from '../chunked-facts.ts';
import { END } from '../facts-parser.ts';
import { AT_ONCE } from '../pace.ts';
import { startThread } from '../start-thread.ts';
import { copyAsBackup } from './backup.ts';
import { type IfAbsent, openDatabase } from './database.ts';
import { epochsIn } from './epochs-table.ts';
import { FactsAhead } from './facts-ahead.ts';
import { HeadSignal } from './head-file.ts';
import { lockForServer } from './server-lock.ts';
import { openLog } from './sqlite-event-log.ts';
import { SqliteKeyStore } from './sqlite-key-store.ts';
import { readersOf, storedIn } from './sqlite-readers.ts';
import { SqliteRefusals } from './sqlite-refusals.ts';
import { SqliteSigningKeys } from './sqlite-signing-keys.ts';
import { SqliteTrail } from './sqlite-trail.ts';
import { WaitingStore } from './sqlite-waiting.ts';
import { checkSqliteStore } from './store-check.ts';
import { type Waiting, WorkerWriter } from './worker-writer.ts';

/** The size of a file that is checked in less than half a second: about 100,000 events. */
const SHORT_CHECK_BYTES = 33_554_432;

/**
 * Opens a SQLite file for a server: the writer in a thread of its own, and on this thread a
 * second connection for everything that is read. Resolves as soon as the file can be read, even if it
 * cannot be written.
 * @param scrub At how many bytes a second everything is read again and again, to be checked; 0: it is
 * checked once. Absent: never.
 */
export async function openSqliteStore(
  file: string,
  given: Pick<StoreWatcher, 'lost' | 'impaired'> & Partial<StoreWatcher>,
  scrub?: number,
): Promise<Store> {
  const watcher: StoreWatcher = { mended() {}, noticed() {}, ...given };
  let signal: HeadSignal | undefined;
  const writer = new WorkerWriter(file, {
    ...watcher,
    // A head that could not be noted is not signalled.
    impaired(reason, cause) {
      if (isOfStorage(reason)) signal?.distrust(true);
      watcher.impaired(reason, cause);
    },
    mended(reason) {
      if (isOfStorage(reason)) signal?.distrust(false);
      watcher.mended(reason);
    },
  });
  const refusals = new SqliteRefusals(file);
  const parts = {
    refusals,
    writer,
    inDoubt: 'stop',
    checkpoints: () => writer.checkpoints,
  } as const;
  const waiting = await writer.opened();
  if (waiting !== undefined) {
    const store = await waitingStore(file, writer, watcher, waiting);
    const check = checking(file, scrub, watcher);
    return {
      ...store.readers,
      ...parts,
      begin: store.begin,
      ...(check && { check }),
      async close() {
        await check?.close();
        await store.close();
        refusals.close();
      },
    };
  }
  // The writer's thread has looked at the files a moment ago, and is the only one to serve them.
  const db = openDatabase(file, () => {});
  db.pragma('wal_autocheckpoint = 0');
  signal = new HeadSignal(file);
  const readers = readersOf(file, db, signal);
  const check = checking(file, scrub, watcher);
  return {
    ...readers,
    ...parts,
    madeAt: writer.madeAt,
    begin: ({ image }) => writer.begin(image.pack()),
    ...(check && { check }),
    async close() {
      await check?.close();
      await writer.close();
      refusals.close();
      await readers.log.close();
    },
  };
}

function isOfStorage(reason: Impairment): boolean {
  return reason === 'storage_full' || reason === 'storage_failing';
}

async function waitingStore(
  file: string,
  writer: WorkerWriter,
  watcher: StoreWatcher,
  waiting: Waiting,
): Promise<WaitingStore> {
  try {
    return new WaitingStore(file, writer, watcher, waiting);
  } catch (error) {
    await writer.close();
    throw error;
  }
}

function checking(
  file: string,
  bytesPerSecond: number | undefined,
  watcher: Pick<StoreWatcher, 'impaired'>,
): CheckingThread | undefined {
  if (bytesPerSecond === undefined) return undefined;
  const start = () => startThread('sqlite/check-thread', { file, bytesPerSecond });
  return new CheckingThread(start, statSync(file).size <= SHORT_CHECK_BYTES, watcher);
}

/** Opens a SQLite file for a command line tool: one connection, everything in this thread. */
export function openSqliteForCommandLine(file: string, ifAbsent?: IfAbsent): CommandLineStore {
  const db = openDatabase(file, undefined, ifAbsent);
  const log = openLog(file, db);
  const refusals = new SqliteRefusals(file);
  const ahead = new FactsAhead(file, END);
  const epochs = epochsIn(db);
  return {
    id: epochs.storeId,
    epochs,
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
    checked: () => {
      return checkInThread(() => startThread('sqlite/check-thread', { file, bytesPerSecond: 0 }));
    },
    async backup(to) {
      await copyAsBackup(db, to);
      await checkCopy(to);
    },
    async close() {
      refusals.close();
      await ahead.close();
      await log.close();
    },
  };
}

/** Checks a copy that was just written, and removes it where it is not what was recorded. */
async function checkCopy(to: string): Promise<void> {
  try {
    await checkSqliteStore(to, AT_ONCE);
  } catch (error) {
    rmSync(to, { force: true });
    const { message } = error as Error;
    throw new DamagedStore(
      `the copy is not what was recorded, and was removed: ${message}. Check the store itself: ` +
        'store-orders verify',
    );
  } finally {
    for (const end of ['-wal', '-shm']) rmSync(to + end, { force: true });
  }
}
