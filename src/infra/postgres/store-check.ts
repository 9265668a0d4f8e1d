/** The repeated check of a whole store in PostgreSQL. */

import { StoredTreeCheck } from '../../app/audit/trail/stored-tree-check.ts';
import type { StoredRow } from '../../app/ports/evidence.ts';
import { AlteredSchema, isDamage } from '../../app/ports/store.ts';
import { type Pace, UNPACED } from '../checking/keep-checking.ts';
import { bytesIn, bytesOrNone, checkEvents, checkRefusals } from '../checking/stored-check.ts';
import { type CheckedRow, storedRowIn } from '../events/row-mapping.ts';
import { checkRows, THROUGH_INDEXES } from './checked-rows.ts';
import { inOrder, type Statement } from './connection/connection.ts';
import { Database } from './connection/database.ts';
import { requireEpochsIn } from './database.ts';
import { orderIdIn } from './event-lines.ts';
import { SCHEMA_VERSION } from './schema.ts';
import { flawsInSchema } from './schema-check.ts';
import { signingKeysIn } from './signing-keys.ts';

/** The rows of a chunk, which is read in a transaction of its own. */
const CHECKED_ROWS = 2_000;

/** The stored events of a chunk after a position. */
const EVENTS: Statement = {
  name: 'checked_events',
  text: `SELECT position, order_id::text, version, type, schema_version, data, metadata
           FROM store_orders.events WHERE position > $1 ORDER BY position LIMIT ${CHECKED_ROWS}`,
};
/** The nodes of the tree that are completed by an event of the chunk. */
const NODES: Statement = {
  name: 'checked_nodes',
  text: `SELECT height, place, hash FROM store_orders.tree_nodes
           WHERE height BETWEEN 0 AND 52
             AND place >= ($1::bigint >> height)
             AND place < (($1::bigint + ${CHECKED_ROWS}) >> height)`,
};
const EDGE: Statement = {
  name: 'checked_edge',
  text: `SELECT edge, (SELECT count(*) FROM store_orders.tree_nodes) FROM store_orders.tree`,
};
/** The refusals of a chunk after a position. */
export const REFUSALS: Statement = {
  name: 'checked_refusals',
  text: `SELECT position, record FROM store_orders.refusals
           WHERE position > $1 ORDER BY position LIMIT ${CHECKED_ROWS}`,
};

/**
 * Reads a whole store once, and throws a {@link DamagedStore} at the first damage: in the schema, the
 * keys, the kept outcomes, the events against their tree, and the refusals. Instances may be
 * running.
 *
 * No transaction lasts longer than the read of a chunk: a long one would delay VACUUM.
 */
export async function checkPostgresStore(url: string, pace: Pace): Promise<void> {
  const db = new Database(url);
  db.admit = async (connection) => void (await connection.run(THROUGH_INDEXES));
  try {
    await checkAll(db, pace);
  } catch (error) {
    if (!isDamage(error) || error instanceof AlteredSchema) throw error;
    // Rows may have been hidden since the schema was compared, and no longer be: damage is found twice.
    await checkAll(db, UNPACED);
  } finally {
    await db.close();
  }
}

async function checkAll(db: Database, pace: Pace): Promise<void> {
  for (const flaw of await flawsInSchema(db, SCHEMA_VERSION)) throw new AlteredSchema(flaw);
  for await (const bytes of checkRows(db)) await pace(bytes);
  await signingKeysIn(db);
  await requireEpochsIn(db);
  await checkLog(db, pace);
  await checkRefusals((after) => db.query<[number, string]>(REFUSALS, [after]), pace);
}

/** Throws unless the tree covers exactly the events of the log. */
async function checkLog(db: Database, pace: Pace): Promise<void> {
  const kept = { edge: Buffer.alloc(0), nodes: 0 };
  const nodes = new Map<string, Buffer>();
  const tree = new StoredTreeCheck({
    get edge() {
      return kept.edge;
    },
    get nodes() {
      return kept.nodes;
    },
    nodeAt: (height, place) => nodes.get(`${height} ${place}`),
  });
  for (let size = 0; ; ) {
    const next = await readChunk(db, size);
    nodes.clear();
    for (const [height, place, hash] of next.nodes) {
      nodes.set(`${height} ${place}`, bytesOrNone(hash));
    }
    Object.assign(kept, next.kept);
    checkEvents(tree, next.rows, size, next.rows.length < CHECKED_ROWS);
    if (next.rows.length < CHECKED_ROWS) return;
    size += next.rows.length;
    await pace(bytesIn(next.rows));
  }
}

interface Chunk {
  readonly rows: readonly StoredRow[];
  readonly nodes: readonly (readonly [height: number, place: number, hash: unknown])[];
  readonly kept: { readonly edge: Buffer; readonly nodes: number };
}

/** Reads the next events and their part of the stored tree, in one snapshot. */
async function readChunk(db: Database, after: number): Promise<Chunk> {
  return db.use(async (connection) => {
    const [, rows, nodes, [[edge, count] = [undefined, 0]]] = await inOrder(
      connection.run('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY'),
      connection.query<CheckedRow>(EVENTS, [after]),
      connection.query<[number, number, unknown]>(NODES, [after]),
      connection.query<[unknown, number]>(EDGE),
      connection.run('COMMIT'),
    );
    return { rows: rows.map(rowOf), nodes, kept: { edge: bytesOrNone(edge), nodes: count } };
  });
}

function rowOf([position, orderId, ...others]: CheckedRow): StoredRow {
  return storedRowIn([position, orderIdIn(orderId as string), ...others]);
}
