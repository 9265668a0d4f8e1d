/** Access to a store in PostgreSQL for `verify`, which changes nothing. */

import { CannotStart } from '../../app/lifecycle/cannot-start.ts';
import {
  DamagedEvidence,
  type Evidence,
  type StoredRow,
  type StoredTree,
} from '../../app/ports/evidence.ts';
import { DamagedStore, StoreUnavailable } from '../../app/ports/store.ts';
import { epochsOf, refuseNewerSchema } from '../checking/stored-check.ts';
import { decodeStrictly } from '../events/codec.ts';
import { type CheckedRow, storedRowIn } from '../events/row-mapping.ts';
import { shownAddress } from '../process/postgres-address.ts';
import { checkRows, THROUGH_INDEXES } from './checked-rows.ts';
import type { Connection, Statement } from './connection/connection.ts';
import { Database } from './connection/database.ts';
import { isDamage } from './connection/errors.ts';
import { aboutStoreIn, cannotOpen } from './database.ts';
import { statementsIn } from './epochs-table.ts';
import { SCHEMA_VERSION, WITH_CHECKSUMS, WITH_EPOCHS } from './schema.ts';
import { flawsInSchema } from './schema-check.ts';
import { requireOwnSessions } from './start/own-sessions.ts';

const CHUNK_ROWS = 2_000;

/** The timeouts, in milliseconds. An answer may take long: tampering may have dropped an index. */
const TIMEOUTS = { connect: 3_000, answer: 300_000 };

/** The most digits of which JavaScript represents every integer exactly. */
const MAX_EXACT_DIGITS = 15;

/** The beginning of a read-only transaction with one snapshot, whatever is appended meanwhile. */
const BEGIN = `
  BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
  SET LOCAL statement_timeout = ${TIMEOUTS.answer};
  SET LOCAL idle_in_transaction_session_timeout = 0;
  SET LOCAL search_path = pg_catalog;
`;

const MAY_READ_ROWS: Statement = {
  name: 'may_read_rows',
  text: `SELECT has_table_privilege('store_orders.api_keys', 'SELECT')
            AND has_table_privilege('store_orders.kept_outcomes', 'SELECT')
            AND coalesce(
                  has_table_privilege(to_regclass('store_orders.key_changes'), 'SELECT'), true)`,
};
const LAST: Statement = {
  name: 'last',
  text: 'SELECT coalesce(max(position), 0) FROM store_orders.events',
};
const EDGES: Statement = {
  name: 'edges',
  text: 'SELECT edge FROM store_orders.tree WHERE edge IS NOT NULL LIMIT 2',
};
const COUNT_NODES: Statement = {
  name: 'count_nodes',
  text: 'SELECT count(*) FROM store_orders.tree_nodes',
};
/** The nodes that a tree of the events up to a position can have. */
const NODES: Statement = {
  name: 'nodes_up_to',
  text: `SELECT height, place, hash FROM store_orders.tree_nodes
           WHERE height BETWEEN 0 AND 52 AND place < ($1::bigint >> height) AND hash IS NOT NULL`,
};
type NodeRow = [height: number, place: number, hash: Buffer];

/**
 * Opens a store in PostgreSQL to be checked. Throws {@link CannotStart} if there is no store, or
 * one of a newer version. Takes no lock that blocks other sessions.
 */
export async function openPostgresEvidence(url: string): Promise<Evidence> {
  const db = new Database(url, undefined, TIMEOUTS);
  let connection: Connection | undefined;
  const close = async () => {
    // The transaction ends with its connection.
    connection?.release(new Error('it was used for one check'));
    await db.close();
  };
  try {
    await requireOwnSessions(url);
    connection = await db.connect();
    return { ...(await evidenceIn(connection, url)), close };
  } catch (error) {
    await close();
    throw cannotOpen(error, url);
  }
}

async function evidenceIn(connection: Connection, url: string): Promise<Omit<Evidence, 'close'>> {
  await connection.run(BEGIN);
  const about = await aboutStoreIn(connection);
  if (about === undefined) throw new CannotStart(`There is no store in ${shownAddress(url)}.`);
  const [storeId, version, isWhole] = about;
  refuseNewerSchema('The database', version, SCHEMA_VERSION);
  const flaws = await flawsInSchema(connection, version);
  if (!isWhole) flaws.push('it is not whole: another store is being copied into it');
  if (version >= WITH_CHECKSUMS) flaws.push(...(await damageInRows(connection, version)));
  const [[last] = [0]] = await connection.query<[number]>(LAST);
  const statements = version < WITH_EPOCHS ? [] : await statementsIn(connection);
  const epochs = epochsOf(storeId, statements, flaws);
  return {
    storeId,
    epochs,
    decode: decodeStrictly,
    last,
    events: () => rowsOf(connection),
    tree: await treeOf(connection, last),
    // The head is not noted beside the database, but on the machines of the instances.
    acknowledged: undefined,
    flaws,
  };
}

/**
 * Returns the damage of API keys and kept outcomes. They are skipped without the right to read
 * them: an auditor may be allowed to read only the events and their tree.
 */
async function damageInRows(connection: Connection, version: number): Promise<readonly string[]> {
  const [[mayRead] = [false]] = await connection.query<[boolean]>(MAY_READ_ROWS);
  if (!mayRead) return [];
  const damage: string[] = [];
  await connection.run(`SAVEPOINT rows; ${THROUGH_INDEXES}`);
  try {
    for await (const _bytes of checkRows(connection, version));
  } catch (error) {
    if (!(error instanceof DamagedStore || isDamage(error))) throw error;
    damage.push(error.message);
  }
  // Takes back the settings, too.
  await connection.run('ROLLBACK TO SAVEPOINT rows');
  return damage;
}

/** Yields all events in chunks. While one is checked, the next is being read. */
async function* rowsOf(connection: Connection): AsyncIterable<readonly StoredRow[]> {
  let after: number | undefined;
  // After an error, reading on in the same transaction takes a rollback to a savepoint.
  await connection.run('SAVEPOINT before');
  await connection.run(cursor('every_event'));
  let next = fetch(connection, CHUNK_ROWS, 'every_event');
  try {
    for (let isFull = true; isFull; ) {
      const rows = await next;
      isFull = rows.length === CHUNK_ROWS;
      if (isFull) next = fetch(connection, CHUNK_ROWS, 'every_event');
      if (rows.length > 0) yield rows;
      after = rows.at(-1)?.position;
    }
  } catch (error) {
    if (!isDamage(error)) throw new StoreUnavailable(error as Error);
    const before = await readBefore(connection, after);
    if (before.length > 0) yield before;
    throw new DamagedEvidence(error.message);
  } finally {
    await next.catch(() => undefined);
  }
}

/** Reads the rows in front of damage, one by one. */
async function readBefore(connection: Connection, after?: number): Promise<readonly StoredRow[]> {
  await connection.run('ROLLBACK TO SAVEPOINT before');
  await connection.run(cursor('each_event', after));
  const rows: StoredRow[] = [];
  try {
    for (;;) {
      const [row] = await fetch(connection, 1, 'each_event');
      // The second attempt has read past the damage; a repeated check will show the rest.
      if (row === undefined || rows.length === CHUNK_ROWS) return rows;
      rows.push(row);
    }
  } catch (error) {
    if (!isDamage(error)) throw new StoreUnavailable(error as Error);
    return rows;
  }
}

// A cursor, because a lookup by position fails if the index is missing or wrong, and skips a second
// row with the same position.
function cursor(name: string, after?: number): string {
  const where = after === undefined ? '' : `WHERE position > ${after}`;
  return `CLOSE ALL; DECLARE ${name} NO SCROLL CURSOR FOR
    SELECT position, order_id::text, version, type, schema_version, data, metadata
      FROM store_orders.events ${where} ORDER BY position`;
}

function fetch(connection: Connection, count: number, from: string): Promise<StoredRow[]> {
  const text = `FETCH ${count} FROM ${from}`;
  const rows = connection
    .query<CheckedRow>({ name: text, text })
    .then((fetched) => fetched.map(rowOf));
  // The caller may have stopped reading before this fails.
  rows.catch(() => undefined);
  return rows;
}

/** Returns the row of an event, whose order's id was selected as a text. */
export function rowOf([position, orderId, ...others]: CheckedRow): StoredRow {
  const isExact = typeof orderId === 'string' && orderId.length <= MAX_EXACT_DIGITS;
  return storedRowIn([position, isExact ? Number(orderId) : orderId, ...others]);
}

async function treeOf(connection: Connection, last: number): Promise<StoredTree> {
  const edges = await connection.query<[Buffer]>(EDGES);
  const [[count] = [0]] = await connection.query<[number]>(COUNT_NODES);
  // In memory: there is one node in 256 events, and the orders take much more memory.
  const nodes = new Map<string, Buffer>();
  for (const [height, place, hash] of await connection.query<NodeRow>(NODES, [last])) {
    nodes.set(`${height}/${place}`, hash);
  }
  return {
    edge: edges.length === 1 ? (edges[0] as [Buffer])[0] : Buffer.alloc(0),
    nodes: count,
    nodeAt: (height, place) => nodes.get(`${height}/${place}`),
  };
}
