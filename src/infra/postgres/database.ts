/** Opens the database of a store, and creates the store if it does not exist. */

import { asUserError, UserError } from '../../app/lifecycle/user-error.ts';
import { DamagedStore, type IfAbsent } from '../../app/ports/store.ts';
import {
  orUnwhole,
  refuseNewerSchema,
  requireEpochs,
  requireOneStore,
} from '../checking/stored-check.ts';
import { shownAddress } from '../settings/postgres-address.ts';
import type { Queryable, Statement } from './connection/connection.ts';
import { Database } from './connection/database.ts';
import { isDenied, isLocked, isOfAlteredSchema } from './connection/errors.ts';
import type { Timeouts } from './connection/limits.ts';
import type { Reach } from './connection/reach.ts';
import { epochRowsIn } from './epochs-table.ts';
import { MerkleTables } from './merkle-tables.ts';
import { migrate } from './migrations.ts';
import { APP_ROLE } from './rights.ts';
import { SCHEMA_VERSION } from './schema.ts';
import { requireGuards } from './start/checks.ts';
import { requireOwnSessions } from './start/own-sessions.ts';

const IS_THERE: Statement = {
  name: 'is_there',
  text: `SELECT to_regclass('store_orders.store') IS NOT NULL`,
};
const ABOUT: Statement = {
  name: 'about',
  text: 'SELECT id, schema_version, is_whole FROM store_orders.store',
};
type About = [id: string, schemaVersion: number, isWhole: boolean];

/** A database with a store of the newest schema in it. */
interface Opened {
  readonly db: Database;
  readonly id: string;
  /** False while another store is being copied into this one. */
  readonly isWhole: boolean;
}

/**
 * Opens a complete store. An absent one is created, unless `ifAbsent` refuses that. Throws
 * {@link UserError} for a database that this version must not touch.
 * @param migrated Receives the version of an older schema, once it is brought up to date.
 */
export async function openDatabase(
  url: string,
  ifAbsent?: IfAbsent,
  reach?: Reach,
  timeouts?: Timeouts,
  migrated?: (from: number) => void,
): Promise<Opened> {
  const opened = await openForCopy(url, ifAbsent, reach, timeouts, migrated);
  await orClose(opened.db, url, async () => {
    if (opened.isWhole) return requireWholeLog(url, opened.db);
    throw new UserError(
      'Another store is being copied into this one: let `store-orders migrate-store` finish.',
    );
  });
  return opened;
}

/** Throws {@link UserError} if the log of a store and its tree differ in size. */
async function requireWholeLog(url: string, db: Database): Promise<void> {
  try {
    await new MerkleTables(db).requireWhole();
  } catch (error) {
    // In a changed schema, the sizes may differ because they are of other types.
    await requireGuards(db, url);
    throw orUnwhole(error, shownAddress(url));
  }
}

/** Throws {@link UserError} if a table that is another one, as by row security, explains damage. */
async function explain(db: Database, url: string, error: unknown): Promise<never> {
  // Only those: the schema can be an older one, which lacks other objects.
  if (error instanceof DamagedStore) await requireGuards(db, url, /^the table .* another one/);
  throw error;
}

/** Opens a store as {@link openDatabase} does, but also one into which another is being copied. */
export async function openForCopy(
  url: string,
  ifAbsent: IfAbsent = () => {},
  reach?: Reach,
  timeouts?: Timeouts,
  migrated: (from: number) => void = () => {},
): Promise<Opened> {
  const db = new Database(url, reach, timeouts);
  return orClose(db, url, async () => {
    await requireOwnSessions(url);
    let about = await aboutStoreIn(db).catch((error) => explain(db, url, error));
    const isAbsent = about === undefined;
    if (isAbsent && ifAbsent === 'refuse') {
      throw new UserError(`There is no store in ${shownAddress(url)}. Check DATABASE_URL.`);
    }
    if (about === undefined || about[1] < SCHEMA_VERSION) {
      const { from } = await migrate(url, false);
      if (from > 0 && from < SCHEMA_VERSION) migrated(from);
      about = await aboutStoreIn(db);
    }
    if (isAbsent && ifAbsent !== 'refuse') ifAbsent(shownAddress(url));
    if (about === undefined) throw new UserError('There is no store in the database.');
    const [id, version, isWhole] = about;
    refuseNewerSchema('The database', version, SCHEMA_VERSION);
    return { db, id, isWhole };
  });
}

/**
 * Returns the id, the schema version and the state of the store; `undefined` if there is none. Throws
 * {@link DamagedStore}.
 */
export async function aboutStoreIn(db: Queryable): Promise<About | undefined> {
  const [isThere] = await db.query<[boolean]>(IS_THERE);
  return isThere?.[0] === true ? requireOneStore(await db.query<About>(ABOUT)) : undefined;
}

/** Throws {@link DamagedStore} unless the epochs of the store are as they were recorded. */
export async function requireEpochsIn(db: Queryable): Promise<void> {
  const about = await aboutStoreIn(db);
  if (about !== undefined) requireEpochs(about[0], await epochRowsIn(db));
}

/** Does work, and closes the database if that fails. */
export async function orClose<Result>(
  db: Database,
  url: string,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    await db.close();
    throw cannotOpen(error, url);
  }
}

/** Returns the error to throw when a store cannot be opened. */
export function cannotOpen(error: unknown, url: string): UserError {
  return asUserError(
    error,
    (failure) => `${shownAddress(url)} cannot be opened: ${failure.message}.${adviceOn(failure)}`,
  );
}

/** Returns the advice on a store that cannot be opened, in a sentence; or an empty text. */
function adviceOn(failure: Error): string {
  if (isDenied(failure))
    return ` GRANT ${APP_ROLE} TO the user who serves, and let that user inherit it.`;
  if (isLocked(failure)) return ' Another session holds a lock: pg_locks shows which.';
  return isOfAlteredSchema(failure)
    ? ' The schema of the store was altered: undo that, or restore a backup.'
    : '';
}
