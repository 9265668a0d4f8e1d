/**
 * The thread that owns the writing connection, so that the event loop of the server never waits
 * for a disk. It executes one batch at a time, in order. Main thread: worker-writer.ts.
 */

import { parentPort, workerData } from 'node:worker_threads';
import Database from 'better-sqlite3';
import { CLOCKS } from '../../app/clock.ts';
import { UserError } from '../../app/lifecycle/user-error.ts';
import type { IdRange } from '../../app/log/epochs.ts';
import type { Impairment } from '../../app/ports/impairment.ts';
import { isDamage } from '../../app/ports/store.ts';
import { OrderImage } from '../../app/state/order-image.ts';
import { Writer } from '../../app/write/writer.ts';
import { migratedNotice } from '../checking/reported.ts';
import { loaded } from '../process/start-thread.ts';
import { AppendSignal } from './append-signal.ts';
import { openDatabase, requireWholeLog } from './database.ts';
import { beginDueEpoch, type Copy, copyIn, requireSameEpoch } from './epochs-table.ts';
import { openLog, type SqliteEventLog } from './event-log.ts';
import { noteKeyChangesIn } from './key-store.ts';
import { loadSqlite } from './load-sqlite.ts';
import { SCHEMA_VERSION } from './schema.ts';
import { lockForServer } from './start/server-lock.ts';
import { requireWritable } from './start/writable.ts';
import { orUnavailable, storageFaultOf } from './storage/fault.ts';
import { StorageHealth } from './storage/health.ts';
import { cannotOpen } from './store-file.ts';
import { Checkpoints } from './wal/checkpoints.ts';
import { Wal } from './wal/wal.ts';
import { type FromWriter, packOutcomes, type ToWriter, unpackBatch } from './writer-messages.ts';

/** The interval between two looks at the files while nothing is recorded, in milliseconds. */
const POLL_INTERVAL_MS = 1_000;

loadSqlite();
loaded();

const port = parentPort;
if (port === null) throw new Error('writer-thread is a worker thread');

const { file, signalled } = workerData as ToOpen;

/** The data with which the thread is started. */
interface ToOpen {
  readonly file: string;
  /** The memory of an {@link AppendSignal}. */
  readonly signalled: SharedArrayBuffer;
}

/** The parts that exist once the file can be written. */
interface Opened {
  readonly log: SqliteEventLog;
  readonly ids: IdRange;
  readonly health: StorageHealth;
  readonly checkpoints: Checkpoints;
  readonly wal: Wal;
  close(): Promise<void>;
}

let opened: Opened | undefined;
let writer: Writer | undefined;

port.on('message', (message: ToWriter) => receive(message));
tryToOpen();

/**
 * Opens the file. If it cannot be written now, reports the reason; `open` requests another attempt.
 */
function tryToOpen(): void {
  try {
    let madeAt: string | undefined;
    opened = open((where) => {
      madeAt = where;
    });
    send({ kind: 'opened', madeAt });
  } catch (error) {
    const fault = storageFaultOf(error, file);
    if (fault !== undefined) {
      send({ kind: 'waiting', reason: fault.reason, cause: (error as Error).message });
    } else if (error instanceof UserError) {
      send({ kind: 'refused', message: error.message });
      port?.close();
    } else throw error;
  }
}

function open(made: (where: string) => void): Opened {
  const undo: (() => void)[] = [];
  try {
    const db = openDatabase(file, undefined, made, (from) => send(migratedFrom(from)));
    undo.push(() => db.close());
    requireWritable(file, db);
    // Checkpoints are made between batches, by a connection that reports their results.
    db.pragma('wal_autocheckpoint = 0');
    undo.push(lockForServer(file));
    const wal = new Wal(file);
    undo.push(() => wal.close());
    const damaged = (cause: Error) => impaired('store_damaged', cause);
    requireWholeLog(file, db);
    const copy = copyIn(db);
    const { ids, number } = beginDueEpoch(file, db);
    if (copy !== undefined) send(begunBecauseOf(copy.kind));
    const signal = new AppendSignal(signalled);
    const log = openLog(file, db, { damaged, wal, signal });
    noteKeyChangesIn(db);
    const checkpoints = new Checkpoints(wal, {
      failing: (cause) => impaired('checkpoint_failing', cause),
      tried: (counters) => send({ kind: 'checkpointed', counters }),
      working: () => send({ kind: 'mended', reason: 'checkpoint_failing' }),
      noticed: (message, details) => send({ kind: 'noticed', message, details }),
    });
    const mended = (reason: Impairment) => send({ kind: 'mended', reason });
    const health = new StorageHealth(file, () => log.probe(), { impaired, mended });
    const requireSame = () => {
      wal.requireInPlace();
      log.requireExtended();
      orUnavailable(db, () => requireSameEpoch(db, number));
    };
    const looking = setInterval(() => look(requireSame, health, damaged), POLL_INTERVAL_MS);
    return {
      log,
      ids,
      health,
      checkpoints,
      wal,
      async close() {
        clearInterval(looking);
        health.close();
        checkpoints.close();
        await log.close();
        for (const step of undo.reverse()) step();
      },
    };
  } catch (error) {
    for (const step of undo.reverse()) step();
    // SQLite's own errors do not name the file.
    throw error instanceof Database.SqliteError ? cannotOpen(error, file) : error;
  }
}

function migratedFrom(from: number): FromWriter {
  const [message, details] = migratedNotice(from, SCHEMA_VERSION);
  return { kind: 'noticed', message, details };
}

function begunBecauseOf(kind: Copy['kind']): FromWriter {
  const cause = kind === 'backup' ? 'the store is a backup' : 'the store was handed over';
  return { kind: 'noticed', message: 'a new epoch has begun', details: { cause } };
}

/**
 * Notices while nothing is recorded, too, that the files are not in their place or not whole, or that
 * the log in them is another one, or in another epoch.
 */
function look(
  requireSame: () => void,
  health: StorageHealth,
  damaged: (cause: Error) => void,
): void {
  try {
    requireSame();
  } catch (error) {
    if (isDamage(error)) damaged(error);
    else health.note(error as Error);
  }
}

async function receive(message: ToWriter): Promise<void> {
  switch (message.kind) {
    case 'open':
      tryToOpen();
      return;
    case 'begin': {
      if (opened === undefined) throw new Error('an image came before the file was open');
      const image = new OrderImage(message.image);
      writer = new Writer(opened.log, image, image, CLOCKS.wall, opened.ids);
      send({ kind: 'ready' });
      return;
    }
    case 'execute': {
      if (writer === undefined || opened === undefined) {
        throw new Error('a batch came before the image');
      }
      const outcomes = await writer.execute(unpackBatch(message.batch));
      // Before the outcomes are sent, so that the service is impaired before a client knows of the event.
      opened.health.note(opened.log.trouble);
      send({ kind: 'executed', outcomes: packOutcomes(outcomes) });
      opened.checkpoints.consider();
      return;
    }
    case 'close':
      if (opened?.wal.isDamaged()) send({ kind: 'wal_damaged' });
      await opened?.close();
      port?.close();
      return;
  }
}

function impaired(reason: Impairment, cause: Error): void {
  send({ kind: 'impaired', reason, cause: cause.message });
}

function send(message: FromWriter): void {
  port?.postMessage(message);
}
