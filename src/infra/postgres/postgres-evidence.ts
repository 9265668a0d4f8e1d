import type { StoredRow } from '../../app/audit/event-rules.ts';
import type { KeptTree } from '../../app/audit/kept-tree.ts';
import { CannotStart } from '../../app/cannot-start.ts';
import { DamagedEpochs, Epochs } from '../../app/epochs.ts';
import { DamagedEvidence, type Evidence } from '../../app/ports/evidence.ts';
import { DamagedStore, StoreUnavailable } from '../../app/ports/store.ts';
import { decodeStrictly } from '../event-codec.ts';
import { type CheckedRow, storedRowIn } from '../rows.ts';
import { nameOf } from './address.ts';
import { checkRows } from './checked-rows.ts';
import { type Connection, Database, isDamage, type Statement } from './database.ts';
import { flawsInSchema } from './definitions.ts';
import { epochsIn } from './epochs-table.ts';
import { refuseUnknown } from './migrations.ts';
import { requireOwnSessions } from './own-sessions.ts';
import { inPlainWords, look } from './postgres-store.ts';
import { WITH_CHECKSUMS, WITH_EPOCHS } from './schema.ts';

/** Rows a chunk. */
const CHUNK = 2_000;

/** How long is waited, in milliseconds: whoever has tampered may have left no index. */
const TIMEOUTS = { connect: 3_000, answer: 300_000 };

/** A number with as many characters is exact in JavaScript. */
const EXACT = 15;

/** One moment for all that is read, whatever is appended meanwhile, and nothing can be changed. */
const BEGIN = `
  BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
  SET LOCAL statement_timeout = ${TIMEOUTS.answer};
  SET LOCAL idle_in_transaction_session_timeout = 0;
  SET LOCAL search_path = pg_catalog;
`;

const MAY_READ_ROWS: Statement = {
  name: 'may_read_rows',
  text: `SELECT has_table_privilege('store_orders.api_keys', 'SELECT')
            AND has_table_privilege('store_orders.kept_outcomes', 'SELECT')`,
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
/** Those that events up to a position can have. */
const NODES: Statement = {
  name: 'nodes_up_to',
  text: `SELECT height, place, hash FROM store_orders.tree_nodes
           WHERE height BETWEEN 0 AND 52 AND place < ($1::bigint >> height) AND hash IS NOT NULL`,
};
type NodeRow = [height: number, place: number, hash: Buffer];

/**
 * Opens a store in PostgreSQL to be checked. Throws {@link CannotStart} for what is no store, or the
 * store of a newer version. It takes no lock that anybody would have to wait for.
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
    throw inPlainWords(error as Error, url);
  }
}

async function evidenceIn(connection: Connection, url: string): Promise<Omit<Evidence, 'close'>> {
  await connection.run(BEGIN);
  const about = await look(connection);
  if (about === undefined) throw new CannotStart(`There is no store in ${nameOf(url)}.`);
  const [storeId, version, isWhole] = about;
  refuseUnknown(version);
  const flaws = await flawsInSchema(connection, version);
  if (!isWhole) flaws.push('it is not whole: another store is being copied into it');
  if (version >= WITH_CHECKSUMS) flaws.push(...(await damageInRows(connection)));
  const [[last] = [0]] = await connection.query<[number]>(LAST);
  const epochs = await readEpochs(connection, version, storeId, flaws);
  return {
    storeId,
    epochs,
    decode: decodeStrictly,
    last,
    events: () => rowsOf(connection),
    tree: await treeOf(connection, last),
    // Beside the database there is nothing that would note it.
    acknowledged: undefined,
    flaws,
  };
}

/** An auditor may be allowed to read the events and their tree alone: then that is what is checked. */
async function damageInRows(connection: Connection): Promise<readonly string[]> {
  const [[mayRead] = [false]] = await connection.query<[boolean]>(MAY_READ_ROWS);
  if (!mayRead) return [];
  try {
    for await (const _bytes of checkRows(connection));
    return [];
  } catch (error) {
    if (error instanceof DamagedStore) return [error.message];
    throw error;
  }
}

async function readEpochs(
  connection: Connection,
  version: number,
  storeId: string,
  flaws: string[],
): Promise<Epochs> {
  try {
    if (version >= WITH_EPOCHS) return await epochsIn(connection, storeId);
  } catch (error) {
    if (!(error instanceof DamagedEpochs)) throw error;
    flaws.push(error.message);
  }
  return new Epochs(storeId);
}

/** While one chunk is checked, the next is on its way. */
async function* rowsOf(connection: Connection): AsyncIterable<readonly StoredRow[]> {
  let after: number | undefined;
  // In a transaction that has failed nothing can be read, but for one that goes back to here.
  await connection.run('SAVEPOINT before');
  await connection.run(cursor('every_event'));
  let next = fetch(connection, CHUNK, 'every_event');
  try {
    for (let isFull = true; isFull; ) {
      const rows = await next;
      isFull = rows.length === CHUNK;
      if (isFull) next = fetch(connection, CHUNK, 'every_event');
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
      // It can be read after all: whoever checks again will see it.
      if (row === undefined || rows.length === CHUNK) return rows;
      rows.push(row);
    }
  } catch (error) {
    if (!isDamage(error)) throw new StoreUnavailable(error as Error);
    return rows;
  }
}

// A cursor, because what is looked up by a position may not be found where the index is gone or lies,
// and goes by twice where one stands there twice.
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
  // Nobody may want them any more by the time this fails.
  rows.catch(() => undefined);
  return rows;
}

/** A row as it is selected: an order's id as a text. */
export function rowOf([position, orderId, ...others]: CheckedRow): StoredRow {
  const isExact = typeof orderId === 'string' && orderId.length <= EXACT;
  return storedRowIn([position, isExact ? Number(orderId) : orderId, ...others]);
}

async function treeOf(connection: Connection, last: number): Promise<KeptTree> {
  const edges = await connection.query<[Buffer]>(EDGES);
  const [[count] = [0]] = await connection.query<[number]>(COUNT_NODES);
  // One in 256 events has one, and the orders take much more room in memory.
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
