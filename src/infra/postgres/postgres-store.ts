import { CannotStart } from '../../app/cannot-start.ts';
import { CLOCKS } from '../../app/clock.ts';
import type { Epochs } from '../../app/epochs.ts';
import {
  type AcceptedLoss,
  type CommandLineStore,
  DamagedStore,
  type Store,
  type StoreWatcher,
} from '../../app/ports/store.ts';
import { Writer } from '../../app/writer.ts';
import { CheckingThread, checkInThread } from '../checking-thread.ts';
import { startThread } from '../start-thread.ts';
import { readWitness, replaceWitness } from '../witness-file.ts';
import { nameOf } from './address.ts';
import {
  Database,
  isDenied,
  type Queryable,
  type Reach,
  SERVING,
  type Statement,
  type Timeouts,
} from './database.ts';
import { acceptBreak, beginDueEpoch, epochsIn } from './epochs-table.ts';
import {
  contradictionIn,
  openWitness,
  refuseOtherLog,
  type WitnessPlace,
} from './local-witness.ts';
import { MerkleTables } from './merkle-tables.ts';

import { migrate, refuseUnknown } from './migrations.ts';
import { requireOwnSessions } from './own-sessions.ts';
import { PostgresEventLog } from './postgres-event-log.ts';
import { factsOfPostgres } from './postgres-facts.ts';
import { PostgresKeyStore } from './postgres-key-store.ts';
import { PostgresRefusals } from './postgres-refusals.ts';
import { PostgresSigningKeys } from './postgres-signing-keys.ts';
import { PostgresTrail } from './postgres-trail.ts';
import { APP_ROLE, SCHEMA_VERSION } from './schema.ts';
import { requireServable } from './start-checks.ts';
import { takeOver } from './take-over.ts';

const NONE_KEPT = { kind: 'none', reason: 'instances on PostgreSQL keep none' } as const;

const IS_THERE: Statement = {
  name: 'is_there',
  text: `SELECT to_regclass('store_orders.store') IS NOT NULL`,
};
const ABOUT: Statement = {
  name: 'about',
  text: 'SELECT id, schema_version, is_whole FROM store_orders.store',
};
type About = [id: string, schemaVersion: number, isWhole: boolean];

/** How many events are checked in less than half a second. */
const SHORT_CHECK_EVENTS = 100_000;

/**
 * Opens a store in PostgreSQL for a server, one of any number on the same database.
 * @param scrub At how many bytes a second everything is read again and again, to be checked; 0: it is
 * checked once. Absent: never.
 * @param place Where the witness of this machine is; absent where there is none.
 */
export async function openPostgresStore(
  url: string,
  watcher: StoreWatcher,
  scrub?: number,
  place?: WitnessPlace,
): Promise<Store> {
  let madeAt: string | undefined;
  const { db, id } = await openWhole(url, reachOf(watcher), SERVING, (where) => {
    madeAt = where;
  });
  try {
    await requireServable(db, url);
  } catch (error) {
    await db.close();
    throw inPlainWords(error as Error, url);
  }
  const { epochs, witness, trouble } = await orClose(db, url, async () => {
    const file = place?.(id);
    if (file !== undefined) await refuseOtherLog(db, file, await epochsIn(db, id), nameOf(url));
    const epochs = await beginAppending(db, id, file);
    return { epochs, ...(file === undefined ? {} : openWitness(file, epochs)) };
  });
  const log = new PostgresEventLog(
    db,
    (cause) => watcher.impaired('database_replaced', cause),
    (cause) => watcher.impaired('store_damaged', cause),
    undefined,
    {
      witness,
      epoch: epochs.number,
      restored: () => watcher.mended('database_replaced'),
    },
  );
  let writer: Writer | undefined;
  const check = scrub === undefined ? undefined : checking(url, await log.head(), scrub, watcher);
  log.follow();
  return {
    id,
    madeAt,
    epochs,
    ...(trouble !== undefined && { notice: trouble }),
    log,
    facts: factsOfPostgres(db),
    trail: new PostgresTrail(db, () => log.edge()),
    refusals: new PostgresRefusals(db),
    // Everything waits for the network and nothing for a disk, so it needs no thread of its own.
    writer: {
      get takesMore() {
        return writer?.takesMore === true;
      },
      async execute(batch, latecomers) {
        if (writer === undefined) throw new Error('a batch came before the image');
        return writer.execute(batch, latecomers);
      },
    },
    inDoubt: 'go on',
    async begin(list) {
      writer = new Writer(log, list.image, list, CLOCKS.wall, epochs.ids);
    },
    keys: new PostgresKeyStore(db),
    signingKeys: new PostgresSigningKeys(db),
    snapshots: { load: async () => NONE_KEPT },
    ...(check && { check }),
    async close() {
      await check?.close();
      await log.close();
    },
  };
}

function checking(
  url: string,
  events: number,
  bytesPerSecond: number,
  watcher: StoreWatcher,
): CheckingThread {
  const start = () => startThread('postgres/check-thread', { url, bytesPerSecond });
  return new CheckingThread(start, events <= SHORT_CHECK_EVENTS, watcher);
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

/** Opens a store in PostgreSQL for a command line tool. */
export async function openPostgresForCommandLine(
  url: string,
  ifAbsent?: IfAbsent,
  place?: WitnessPlace,
): Promise<CommandLineStore> {
  const { db, id } = await openWhole(url, undefined, undefined, ifAbsent);
  const file = place?.(id);
  const epochs = await orClose(db, url, async () => {
    const epochs = await epochsIn(db, id);
    if (file !== undefined) await refuseOtherLog(db, file, epochs, nameOf(url));
    return epochs;
  });
  const log = new PostgresEventLog(db, undefined, undefined, undefined, {
    beginAppending: () => beginAppending(db, id, file),
  });
  return {
    id,
    epochs,
    log,
    facts: factsOfPostgres(db),
    trail: new PostgresTrail(db),
    refusals: new PostgresRefusals(db),
    keys: new PostgresKeyStore(db),
    signingKeys: new PostgresSigningKeys(db),
    async takeOver(fill) {
      await log.prepare();
      await takeOver(db, fill);
    },
    checked: () => {
      return checkInThread(() => startThread('postgres/check-thread', { url, bytesPerSecond: 0 }));
    },
    async backup() {
      throw new CannotStart(
        'backup copies a store in SQLite. Back PostgreSQL up with its own means: docs/postgresql.md.',
      );
    },
    close: () => log.close(),
  };
}

/**
 * Goes on with what is left of a log, in a new epoch. Throws {@link CannotStart} where the witness on
 * this machine knows of nothing that is missing.
 */
export async function acceptLossInPostgres(
  url: string,
  place: WitnessPlace,
): Promise<AcceptedLoss> {
  const { db, id } = await openWhole(url, undefined, undefined, 'refuse');
  return orClose(db, url, async () => {
    const file = place(id);
    const witness = readWitness(file);
    if (witness === undefined) {
      throw new CannotStart(
        `There is no ${file}, so nothing is known to be missing. Run it where the instance ran that ` +
          'refuses to start, with the same configuration.',
      );
    }
    const wrong = await contradictionIn(db, witness, await epochsIn(db, id));
    if (wrong === undefined) {
      throw new CannotStart(
        `Nothing is missing in ${nameOf(url)} of what ${file} knows: there is nothing to give up.`,
      );
    }
    const { breaks, id: epoch } = await acceptBreak(db, id, witness, (next) => {
      replaceWitness(file, next);
    });
    await db.close();
    return { head: breaks.at(-1)?.position ?? 0, epoch };
  });
}

function beginAppending(db: Database, id: string, file: string | undefined): Promise<Epochs> {
  const witness = file === undefined ? undefined : readWitness(file);
  return beginDueEpoch(db, id, witness, (next) => {
    if (file === undefined) return;
    try {
      replaceWitness(file, next);
    } catch {
      // Whoever opens it says that it cannot be kept.
    }
  });
}

/** Closes a database again where something that is to be done first fails. */
async function orClose<Result>(
  db: Database,
  url: string,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    await db.close();
    throw inPlainWords(error as Error, url);
  }
}

/** A database with a store of the newest schema in it. */
export interface Opened {
  readonly db: Database;
  readonly id: string;
  /** Whether it is a store, and not what has been copied of one so far. */
  readonly isWhole: boolean;
}

/** What to do where there is no store yet: refuse, or make one and say so. */
export type IfAbsent = 'refuse' | ((where: string) => void);

/** Opens a store that is whole, and makes it if it is not there, unless it is to be refused. */
export async function openWhole(
  url: string,
  reach?: Reach,
  timeouts?: Timeouts,
  ifAbsent?: IfAbsent,
): Promise<Opened> {
  const opened = await openForCopy(url, reach, timeouts, ifAbsent);
  if (opened.isWhole) {
    await requireWholeLog(opened.db, url);
    return opened;
  }
  await opened.db.close();
  throw new CannotStart(
    'Another store is being copied into this one: let `store-orders migrate-store` finish.',
  );
}

/** Throws {@link CannotStart} where the log has another size than its tree. */
async function requireWholeLog(db: Database, url: string): Promise<void> {
  try {
    await new MerkleTables(db).requireWhole();
  } catch (error) {
    await db.close();
    if (!(error instanceof DamagedStore)) throw inPlainWords(error as Error, url);
    throw new CannotStart(
      `${nameOf(url)} is damaged: ${error.message}. Nothing was changed. ` +
        'Find out what else is wrong (store-orders verify), and restore a backup.',
    );
  }
}

/** The same for a store that may not be whole. */
export async function openForCopy(
  url: string,
  reach?: Reach,
  timeouts?: Timeouts,
  ifAbsent: IfAbsent = () => {},
): Promise<Opened> {
  const db = new Database(url, reach, timeouts);
  try {
    await requireOwnSessions(url);
    let about = await look(db);
    const isAbsent = about === undefined;
    if (isAbsent && ifAbsent === 'refuse') {
      throw new CannotStart(`There is no store in ${nameOf(url)}. Check DATABASE_URL.`);
    }
    if (about === undefined || about[1] < SCHEMA_VERSION) {
      await migrate(url, false);
      about = await look(db);
    }
    if (isAbsent && ifAbsent !== 'refuse') ifAbsent(nameOf(url));
    if (about === undefined) throw new CannotStart('There is no store in the database.');
    const [id, version, isWhole] = about;
    refuseUnknown(version);
    return { db, id, isWhole };
  } catch (error) {
    await db.close();
    throw inPlainWords(error as Error, url);
  }
}

/** What a database says of the store in it; `undefined` where there is none. */
export async function look(db: Queryable): Promise<About | undefined> {
  const [isThere] = await db.query<[boolean]>(IS_THERE);
  return isThere?.[0] === true ? (await db.query<About>(ABOUT))[0] : undefined;
}

/** Why a store cannot be opened. */
export function inPlainWords(error: Error, url: string): CannotStart {
  if (error instanceof CannotStart) return error;
  if (error.cause instanceof CannotStart) return error.cause;
  const advice = isDenied(error) ? ` GRANT ${APP_ROLE} TO the user who serves.` : '';
  const message = `${nameOf(url)} cannot be opened: ${error.message}.${advice}`;
  return new CannotStart(message, { cause: error });
}
