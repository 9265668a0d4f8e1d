/** The epochs of a log in PostgreSQL (docs/adr/0020). */

import { now } from '../../app/clock.ts';
import { UserError } from '../../app/lifecycle/user-error.ts';
import { type AcknowledgedHead, breakAfter } from '../../app/log/acknowledged-head.ts';
import type { BreakReason, Epochs } from '../../app/log/epochs.ts';
import { Frontier } from '../../app/log/merkle-tree.ts';
import { DamagedStore } from '../../app/ports/store.ts';
import { type EpochRow, epochsFrom } from '../checking/stored-check.ts';
import { BEGIN } from './batch.ts';
import type { Connection, Queryable, Statement } from './connection/connection.ts';
import type { Database } from './connection/database.ts';
import { namingLock } from './connection/errors.ts';
import { orFound } from './connection/lost-answer.ts';
import { MerkleTables } from './merkle-tables.ts';
import { fenceOffServers } from './start/servers.ts';

const EPOCHS: Statement = {
  name: 'epochs',
  text: 'SELECT number, statement FROM store_orders.epochs ORDER BY number',
};
const ENTER: Statement = {
  name: 'enter_epoch',
  text: 'INSERT INTO store_orders.epochs VALUES ($1, $2)',
};
const HIGHEST_ID: Statement = {
  name: 'highest_id',
  text: 'SELECT coalesce(max(order_id), 0)::text FROM store_orders.events',
};

const HOME: Statement = { name: 'home', text: 'SELECT home FROM store_orders.store' };
const SET_HOME: Statement = { name: 'set_home', text: 'UPDATE store_orders.store SET home = $1' };
const MAY_READ_CLUSTER: Statement = {
  name: 'may_read_cluster',
  text: `SELECT has_function_privilege('pg_catalog.pg_control_system()', 'EXECUTE')`,
};
const CLUSTER: Statement = {
  name: 'cluster',
  text: 'SELECT system_identifier::text FROM pg_catalog.pg_control_system()',
};
// A restored dump and a copied database have other object ids, of the database or of the table.
export const HERE: Statement = {
  name: 'here',
  text: `SELECT oid::text || '/' || 'store_orders.events'::regclass::oid::text
           FROM pg_catalog.pg_database WHERE datname = current_database()`,
};

/**
 * The home of a store that was handed over to another place; it stands for no database. The id of the
 * copy there follows, if that has one.
 */
const NOWHERE = 'elsewhere';
const NOWHERE_FORM = /^elsewhere(?:@[\da-f/]+)?$/;

/** A home: the identifier of the server, empty if it could not be read, and two object ids. */
export const HOME_FORM = /^(?<server>\d*)\/(?<ids>\d+\/\d+)$/;

/** A change under the log's lock: as a clause, and the sentence if it failed. */
type Words = readonly [done: string, failed: string];
const EPOCH: Words = ['a new epoch has begun', 'No new epoch could begin'];
const HANDOVER: Words = ['the store was handed over', 'The store could not be handed over'];

/** A change of the database that contains a store. */
export interface Move {
  readonly from: string;
  readonly to: string;
}

/** Returns the epochs of a store's log. */
export async function epochsIn(db: Queryable, storeId: string): Promise<Epochs> {
  return epochsFrom(storeId, await epochRowsIn(db));
}

/** Returns the record of all breaks, as it is. */
export async function epochRowsIn(db: Queryable): Promise<readonly EpochRow[]> {
  return db.query<[number, string]>(EPOCHS);
}

/**
 * Marks a store as handed over, which can be continued here only in a new epoch. Throws
 * {@link UserError} while instances run on it. One that has no session is refused on its next.
 * @param to The id of the copy that it was handed over to.
 */
export async function markCopy(db: Database, to?: string): Promise<void> {
  const mark = async (connection: Connection) => {
    await fenceOffServers(connection);
    await connection.query(SET_HOME, [handedTo(to)]);
  };
  await locked(db, HANDOVER, mark, () => wasHandedTo(db, to));
}

/** Returns true if a store was handed over to the copy with this id, and was not continued since. */
export async function wasHandedTo(db: Queryable, copyId: string | undefined): Promise<boolean> {
  return (await recordedHome(db)) === handedTo(copyId);
}

function handedTo(copyId: string | undefined): string {
  return copyId === undefined ? NOWHERE : `${NOWHERE}@${copyId}`;
}

/** Returns true for the home of a store that was handed over to another place. */
export function isHandedOver(home: string | null): boolean {
  return home !== null && NOWHERE_FORM.test(home);
}

/** Adds those statements of breaks that the store does not have yet. */
export async function enterEpochs(db: Queryable, { storeId, statements }: Epochs): Promise<void> {
  const there = (await epochsIn(db, storeId)).number;
  for (const [index, statement] of statements.slice(there).entries()) {
    await db.query(ENTER, [there + index + 1, statement]);
  }
}

/**
 * Begins a new epoch if a store is in another database than before: a restored dump, or a copy,
 * that is about to be continued. Throws {@link UserError} while other instances serve it, and
 * {@link DamagedStore} if the record of the database before is damaged.
 * @param note Receives the first head of the new epoch, and the reason for it.
 * @param to The id of the copy by which it is continued. There is none to begin if the store was
 * handed over to that one.
 */
export async function beginDueEpoch(
  db: Database,
  storeId: string,
  acknowledged: AcknowledgedHead | undefined,
  note: (acknowledged: AcknowledgedHead, move: Move) => void,
  to?: string,
): Promise<Epochs> {
  const here = await homeOf(db);
  const isContinued = (home: string | null) =>
    home === here || (to !== undefined && home === handedTo(to));
  if (isContinued(await recordedHome(db))) return epochsIn(db, storeId);
  const begin = async (connection: Connection) => {
    const from = await recordedHome(connection);
    if (from !== null && isSameDatabase(from, here)) {
      await recordHome(connection, from, here);
      return undefined;
    }
    await connection.query(SET_HOME, [here]);
    if (from === null) return undefined;
    await fenceOffServers(connection);
    const head = await recordBreak(connection, storeId, 'copy_continued', acknowledged);
    return { head, move: { from, to: here } };
  };
  const begun = await locked(db, EPOCH, begin, async (due) => {
    if (due !== undefined) return isIn(db, due.head);
    const home = await recordedHome(db);
    return home !== null && isSameDatabase(home, here);
  });
  if (begun !== undefined) note(begun.head, begun.move);
  return epochsIn(db, storeId);
}

/** Begins a new epoch at the current end of the log. See {@link beginDueEpoch}. */
export async function acceptBreak(
  db: Database,
  storeId: string,
  acknowledged: AcknowledgedHead | undefined,
  note: (acknowledged: AcknowledgedHead) => void,
): Promise<Epochs> {
  const begin = async (connection: Connection) => {
    await fenceOffServers(connection);
    await recordHome(connection, await recordedHome(connection), await homeOf(connection));
    return recordBreak(connection, storeId, 'loss_accepted', acknowledged);
  };
  const begun = await locked(db, EPOCH, begin, (due) => isIn(db, due));
  note(begun);
  return epochsIn(db, storeId);
}

/** Returns the home of a store; null in one that was never served. Throws {@link DamagedStore}. */
export async function recordedHome(db: Queryable): Promise<string | null> {
  const [[home] = [null]] = await db.query<[string | null]>(HOME);
  if (home === null || isHandedOver(home) || HOME_FORM.test(home)) return home;
  throw new DamagedStore('the record of the database that contains the store is damaged');
}

/** Records the present home, unless the recorded one says the same and more. */
async function recordHome(db: Queryable, recorded: string | null, here: string): Promise<void> {
  const saysMore = recorded !== null && isSameDatabase(recorded, here) && here.startsWith('/');
  if (!saysMore) await db.query(SET_HOME, [here]);
}

/** Returns an identifier of the database that contains a store. A copy has another. */
export async function homeOf(db: Queryable): Promise<string> {
  const [[mayRead] = [false]] = await db.query<[boolean]>(MAY_READ_CLUSTER);
  const [[cluster] = ['']] = mayRead ? await db.query<[string]>(CLUSTER) : [];
  const [[here] = ['']] = await db.query<[string]>(HERE);
  return `${cluster}/${here}`;
}

/**
 * Returns true for two homes of one database. The identifier of the server counts if both have it: a
 * right decides who can read it, and a right that is taken away moves no database.
 */
export function isSameDatabase(recorded: string, here: string): boolean {
  const [was, is] = [recorded, here].map((home) => HOME_FORM.exec(home)?.groups);
  if (was?.ids !== is?.ids) return false;
  return was?.server === is?.server || was?.server === '' || is?.server === '';
}

// Other instances may have acknowledged more than is known here: positions and ids leave room for
// it.
async function recordBreak(
  connection: Connection,
  storeId: string,
  reason: BreakReason,
  acknowledged: AcknowledgedHead | undefined,
): Promise<AcknowledgedHead> {
  const before = await epochsIn(connection, storeId);
  const edge = await new MerkleTables(connection).edge();
  const { size: position, root } = Frontier.unpack(edge).head();
  const [[inLog] = ['0']] = await connection.query<[string]>(HIGHEST_ID);
  const highestId = BigInt(inLog);
  const cut = { at: now(), reason, position, root, highestId, acknowledged, isExact: false };
  const begun = breakAfter(before, cut);
  await connection.query(ENTER, [before.number + 1, begun.statement]);
  return begun.acknowledged;
}

/** Returns true if the epoch with this first head has begun. */
async function isIn(db: Queryable, { storeId, epoch }: AcknowledgedHead): Promise<boolean> {
  return (await epochsIn(db, storeId)).has(epoch);
}

/**
 * Does work under the log's lock, in a transaction of its own.
 * @param isDone Returns true if the result of the work is in the database.
 */
async function locked<Result>(
  db: Database,
  [done, failed]: Words,
  work: (connection: Connection) => Promise<Result>,
  isDone: (result: Result) => Promise<boolean>,
): Promise<Result> {
  const connection = await db.connect();
  const commit = () => connection.commit();
  try {
    await connection.run(BEGIN);
    await new MerkleTables(connection).lockedEdge();
    const result = await work(connection);
    await orFound(db.place, done, commit, () => isDone(result));
    return result;
  } catch (error) {
    connection.release(error as Error);
    const named = namingLock(error, db.place);
    if (named instanceof UserError) throw named;
    throw new UserError(`${failed}: ${(error as Error).message}.`, { cause: error });
  }
}
