/** Opens stores in PostgreSQL: for a server, and for a command. */

import { UserError } from '../../app/lifecycle/user-error.ts';
import type { Epochs } from '../../app/log/epochs.ts';
import type { BatchWriter } from '../../app/ports/batch-writer.ts';
import type { SnapshotSearch, Snapshots } from '../../app/ports/snapshots.ts';
import type { CommandLineStore, IfAbsent, Store, StoreWatcher } from '../../app/ports/store.ts';
import { type CheckingThread, checkInThread, openChecked } from '../checking/checking-thread.ts';
import { migratedNotice } from '../checking/reported.ts';
import { namingCauses } from '../events/named-causes.ts';
import { type HeadFile, readHeadFile, replaceHeadFile } from '../head/head-file.ts';
import { shownAddress } from '../settings/postgres-address.ts';
import { NOT_FOUND, SnapshotFile, snapshotBeside } from '../snapshot/snapshot-file.ts';
import type { Database } from './connection/database.ts';
import { namingLock } from './connection/errors.ts';
import { SERVING } from './connection/limits.ts';
import type { Reach } from './connection/reach.ts';
import { FoundDamage } from './damage.ts';
import { openDatabase, orClose } from './database.ts';
import { beginDueEpoch, epochsIn, homeOf, isHandedOver, type Move } from './epochs-table.ts';
import { PostgresEventLog } from './event-log.ts';
import { type HeadFilePlace, openHeadFile, refuseOtherLog } from './head-file.ts';
import { hearingOf, Looks } from './looks.ts';
import { rootsIn } from './merkle-tables.ts';
import { partsOf } from './parts.ts';
import { SCHEMA_VERSION } from './schema.ts';
import { requireServable } from './start/checks.ts';
import { foldSourceIn } from './stored-events.ts';
import { takeOver } from './take-over.ts';

const NO_SNAPSHOT = { kind: 'none', reason: 'there is no file for it' } as const;

/** The size of a log that is checked in less than half a second. */
const SHORT_CHECK_EVENTS = 100_000;

/**
 * Opens a store in PostgreSQL for a server, one of any number on the same database.
 * @param scrub The rate of the repeated check of the store, in bytes a second; 0: it is checked
 * once. Absent: never.
 * @param place Returns the head file on this machine; absent: none is kept.
 */
export async function openPostgresStore(
  url: string,
  watcher: StoreWatcher,
  scrub?: number,
  place?: HeadFilePlace,
): Promise<Store> {
  return openChecked('postgres', scrub, watcher, (check) => open(url, watcher, place, check));
}

async function open(
  url: string,
  watcher: StoreWatcher,
  place?: HeadFilePlace,
  check?: CheckingThread,
): Promise<Store> {
  let madeAt: string | undefined;
  const noteMade = (where: string) => {
    madeAt = where;
  };
  const { db, id } = await openDatabase(url, noteMade, reachOf(watcher), SERVING, (from) => {
    watcher.noticed(...migratedNotice(from, SCHEMA_VERSION));
  });
  const { epochs, headFile, trouble } = await orClose(db, url, async () => {
    await requireServable(db, url);
    const file = place?.(id);
    if (file !== undefined)
      await refuseOtherLog(db, file, await epochsIn(db, id), shownAddress(url));
    const epochs = await beginAppending(db, id, file, (move) => reportBegun(move, watcher));
    return { epochs, ...(file === undefined ? {} : openHeadFile(file, epochs, await homeOf(db))) };
  });
  const damage = new FoundDamage(url, watcher);
  const log = logOf(db, watcher, damage, epochs, headFile);
  let writer: BatchWriter | undefined;
  const head = await orClose(db, url, async () => {
    await log.enter();
    return log.head();
  });
  check?.begin(url, head <= SHORT_CHECK_EVENTS);
  log.follow();
  return {
    ...partsOf(db, log),
    id,
    madeAt,
    epochs,
    ...(trouble !== undefined && { notice: trouble }),
    log,
    foldSource: foldSourceIn(db),
    writer: writerOnceBegun(() => writer),
    inDoubt: 'go on',
    async begin(start) {
      writer = start.makeWriter(log, epochs.ids);
    },
    snapshots: snapshotsOf(db, id, url, place?.(id)),
    connections: () => ({
      ...db.connections,
      isNotified: log.isNotified,
      lockWaits: log.lockWaits,
    }),
    ...(check && { check }),
    damaged: damage.report,
    async close() {
      await check?.close();
      await log.close();
    },
  };
}

/** Reports that a new epoch has begun, because the store is in another database than before. */
function reportBegun({ from, to }: Move, watcher: StoreWatcher): void {
  const cause = isHandedOver(from)
    ? 'the store was handed over'
    : `the log was recorded in the database ${from}, and this is ${to}`;
  watcher.noticed('a new epoch has begun', { cause });
}

function logOf(
  db: Database,
  watcher: StoreWatcher,
  damage: FoundDamage,
  { storeId, number: epoch }: Epochs,
  headFile: HeadFile | undefined,
): PostgresEventLog {
  const looks = new Looks(db, watcher, damage);
  return new PostgresEventLog(db, {
    headFile,
    noted: (trouble) => reportNoted(trouble, watcher),
    storeId,
    epoch,
    replaced: (cause) => watcher.impaired('database_replaced', cause),
    restored: () => watcher.mended('database_replaced'),
    damaged: damage.report,
    lookBesideHead: looks.besideHead,
    looked: looks.looked,
    refused: looks.refused,
    recorded: looks.recorded,
    heard: hearingOf(watcher),
  });
}

/** Reports that the head file cannot be written any more, or that it can again. */
function reportNoted(trouble: Error | undefined, watcher: StoreWatcher): void {
  const message = trouble
    ? 'the head file cannot be written: the next start may not detect lost events'
    : 'the head file is written again';
  watcher.noticed(message, { cause: trouble?.message });
}

/** @param headFile The head file on this machine, beside which the snapshot is. */
function snapshotsOf(
  db: Database,
  id: string,
  at: string,
  headFile: string | undefined,
): Snapshots & SnapshotSearch {
  if (headFile === undefined)
    return { sealWith() {}, load: async () => NO_SNAPSHOT, find: async () => NOT_FOUND };
  return new SnapshotFile(snapshotBeside(headFile), id, rootsIn(db), { engine: 'postgres', at });
}

/**
 * Returns a writer that uses the one that `begin` has made. It waits for the network only, so it
 * needs no thread of its own.
 */
function writerOnceBegun(begun: () => BatchWriter | undefined): BatchWriter {
  return {
    get takesMore() {
      return begun()?.takesMore === true;
    },
    async execute(batch, latecomers) {
      const writer = begun();
      if (writer === undefined) throw new Error('a batch came before the image');
      return writer.execute(batch, latecomers);
    },
  };
}

function reachOf(watcher: StoreWatcher): Reach {
  return {
    outOfReach: (cause) => watcher.impaired('database_unreachable', cause),
    inReach: () => watcher.mended('database_unreachable'),
    standbyIsSilent(isSilent) {
      if (!isSilent) watcher.mended('standby_silent');
      else watcher.impaired('standby_silent', new Error('commits have waited for over 2 seconds'));
    },
  };
}

/** Opens a store in PostgreSQL for a command. */
export async function openPostgresForCommandLine(
  url: string,
  ifAbsent?: IfAbsent,
  place?: HeadFilePlace,
): Promise<CommandLineStore> {
  const { db, id } = await openDatabase(url, ifAbsent);
  const file = place?.(id);
  const epochs = await orClose(db, url, async () => {
    const epochs = await epochsIn(db, id);
    if (file !== undefined) await refuseOtherLog(db, file, epochs, shownAddress(url));
    return epochs;
  });
  const log = new PostgresEventLog(db, {
    beginAppending: () => beginAppending(db, id, file),
  });
  return {
    ...partsOf(db, log),
    id,
    epochs,
    log: namingCauses(log, (error) => namingLock(error, db.place)),
    foldSource: foldSourceIn(db),
    snapshots: snapshotsOf(db, id, url, file),
    async takeOver(fill) {
      await log.prepare();
      await takeOver(db, fill);
    },
    checked: (signal) => checkInThread('postgres', url, signal),
    async backup() {
      throw new UserError(
        'backup copies a store in SQLite. Back PostgreSQL up with its own means: docs/postgresql.md.',
      );
    },
    close: () => log.close(),
  };
}

function beginAppending(
  db: Database,
  id: string,
  file: string | undefined,
  begun: (move: Move) => void = () => {},
): Promise<Epochs> {
  const acknowledged = file === undefined ? undefined : readHeadFile(file);
  return beginDueEpoch(db, id, acknowledged, (next, move) => {
    begun(move);
    if (file === undefined) return;
    try {
      replaceHeadFile(file, next);
    } catch {
      // {@link openHeadFile} reports that it cannot be written.
    }
  });
}
