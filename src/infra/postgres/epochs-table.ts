import { Frontier } from '../../app/audit/merkle-tree.ts';
import { CannotStart } from '../../app/cannot-start.ts';
import { now } from '../../app/clock.ts';
import { type BreakReason, Epochs } from '../../app/epochs.ts';
import { givenBefore, knownBefore, type Witness } from '../../app/witness.ts';
import { BEGIN } from './batch.ts';
import type { Connection, Database, Queryable, Statement } from './database.ts';
import { MerkleTables } from './merkle-tables.ts';
import { refuseWhileServed } from './servers.ts';

const STATEMENTS: Statement = {
  name: 'epochs',
  text: 'SELECT statement FROM store_orders.epochs ORDER BY number',
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
const SETTLE: Statement = { name: 'settle', text: 'UPDATE store_orders.store SET home = $1' };
const MAY_ASK: Statement = {
  name: 'may_ask_cluster',
  text: `SELECT has_function_privilege('pg_catalog.pg_control_system()', 'EXECUTE')`,
};
const CLUSTER: Statement = {
  name: 'cluster',
  text: 'SELECT system_identifier::text FROM pg_catalog.pg_control_system()',
};
// What a dump or a copy of the database makes anew: its own number, and that of the table.
const HERE: Statement = {
  name: 'here',
  text: `SELECT oid::text || '/' || 'store_orders.events'::regclass::oid::text
           FROM pg_catalog.pg_database WHERE datname = current_database()`,
};

/** Stands for no database: a store with this home goes on elsewhere. */
const NOWHERE = 'elsewhere';

/** The epochs that the log of a store has been in. */
export async function epochsIn(db: Queryable, storeId: string): Promise<Epochs> {
  const rows = await db.query<[string]>(STATEMENTS);
  return new Epochs(
    storeId,
    rows.map(([statement]) => statement),
  );
}

/** Adds statements of breaks, as far as they are not there yet. */
export async function enterEpochs(db: Queryable, { storeId, statements }: Epochs): Promise<void> {
  const there = (await epochsIn(db, storeId)).number;
  for (const [index, statement] of statements.slice(there).entries()) {
    await db.query(ENTER, [there + index + 1, statement]);
  }
}

/** Marks a store: whoever goes on with it begins a new epoch. */
export async function leaveHome(db: Queryable): Promise<void> {
  await db.query(SETTLE, [NOWHERE]);
}

/**
 * Begins the epoch that is due where a store is in another database than it was: a dump, or a copy,
 * that is about to be gone on with. Throws {@link CannotStart} while others go on with it already.
 * @param note Is told what is known of the log from then on.
 */
export async function beginDueEpoch(
  db: Database,
  storeId: string,
  witness: Witness | undefined,
  note: (witness: Witness) => void,
): Promise<Epochs> {
  const here = await homeOf(db);
  const [[home] = [null]] = await db.query<[string | null]>(HOME);
  if (home === here) return epochsIn(db, storeId);
  const begun = await locked(db, async (connection) => {
    const [[locked] = [null]] = await connection.query<[string | null]>(HOME);
    if (locked === here) return undefined;
    await connection.query(SETTLE, [here]);
    if (locked === null) return undefined;
    await refuseWhileServed(connection);
    return recordBreak(connection, storeId, 'copy_continued', witness);
  });
  if (begun !== undefined) note(begun);
  return epochsIn(db, storeId);
}

/** Begins a new epoch where the log ends now. See {@link beginDueEpoch}. */
export async function acceptBreak(
  db: Database,
  storeId: string,
  witness: Witness | undefined,
  note: (witness: Witness) => void,
): Promise<Epochs> {
  const begun = await locked(db, async (connection) => {
    await refuseWhileServed(connection);
    await connection.query(SETTLE, [await homeOf(connection)]);
    return recordBreak(connection, storeId, 'loss_accepted', witness);
  });
  note(begun);
  return epochsIn(db, storeId);
}

/** What names the database that a store is in, so that a copy of it is another one. */
async function homeOf(db: Queryable): Promise<string> {
  const [[mayAsk] = [false]] = await db.query<[boolean]>(MAY_ASK);
  const [[cluster] = ['']] = mayAsk ? await db.query<[string]>(CLUSTER) : [];
  const [[here] = ['']] = await db.query<[string]>(HERE);
  return `${cluster}/${here}`;
}

// Nobody can tell here what other instances were told of: positions and ids leave room for it.
async function recordBreak(
  connection: Connection,
  storeId: string,
  reason: BreakReason,
  witness: Witness | undefined,
): Promise<Witness> {
  const before = await epochsIn(connection, storeId);
  const known = witness?.storeId === storeId ? witness : undefined;
  const frontier = Frontier.unpack(await new MerkleTables(connection).edge());
  const [position, root] = [frontier.size, frontier.root()];
  const [[inLog] = ['0']] = await connection.query<[string]>(HIGHEST_ID);
  const given = givenBefore(undefined, [BigInt(inLog), before.ids.above, known?.highestId ?? 0n]);
  const statement = before.statementOf({
    at: now(),
    reason,
    position,
    root: root.toString('base64'),
    known: knownBefore(known),
    positionsUpTo: given.positionsUpTo,
    idsUpTo: String(given.idsUpTo),
  });
  await connection.query(ENTER, [before.number + 1, statement]);
  const { id: epoch } = await epochsIn(connection, storeId);
  const reached = Math.max(position, known?.reached ?? 0);
  return {
    storeId,
    epoch,
    position,
    root: root.toString('hex'),
    reached,
    highestId: given.idsUpTo,
  };
}

/** Does something under the log's lock, in a transaction of its own. */
async function locked<Result>(
  db: Database,
  work: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  const connection = await db.connect();
  try {
    await connection.run(BEGIN);
    await new MerkleTables(connection).lockedEdge();
    const result = await work(connection);
    await connection.run('COMMIT');
    const [warning] = connection.warnings;
    if (warning !== undefined) throw warning;
    connection.release();
    return result;
  } catch (error) {
    connection.release(error as Error);
    throw error instanceof CannotStart
      ? error
      : new CannotStart(`No new epoch could begin: ${(error as Error).message}.`, { cause: error });
  }
}
