import type { StoredRow } from '../../app/audit/event-rules.ts';
import { KeptTreeCheck } from '../../app/audit/kept-tree.ts';
import { recordOf } from '../../app/audit/record.ts';
import { DamagedStore } from '../../app/ports/store.ts';
import type { Pace } from '../pace.ts';
import { decodeRefusal } from '../refusal-codec.ts';
import type { CheckedRow } from '../rows.ts';
import { bytesIn, requireNothing, requireTexts } from '../stored-check.ts';
import { checkRows } from './checked-rows.ts';
import { Database, type Statement } from './database.ts';
import { flawsInSchema } from './definitions.ts';
import { rowOf } from './postgres-evidence.ts';
import { SCHEMA_VERSION } from './schema.ts';

/** Events or refusals that are read at once, in a transaction of their own. */
const CHUNK = 2_000;

/** Those of the events after a position, as they are stored. */
const EVENTS: Statement = {
  name: 'checked_events',
  text: `SELECT position, order_id::text, version, type, schema_version, data, metadata
           FROM store_orders.events WHERE position > $1 ORDER BY position LIMIT ${CHUNK}`,
};
/** The nodes that are complete with one of the next events, the tree's edge, and how many nodes there are. */
const NODES: Statement = {
  name: 'checked_nodes',
  text: `SELECT height, place, hash FROM store_orders.tree_nodes
           WHERE height BETWEEN 0 AND 52
             AND place >= ($1::bigint >> height) AND place < (($1::bigint + ${CHUNK}) >> height)`,
};
const EDGE: Statement = {
  name: 'checked_edge',
  text: `SELECT edge, (SELECT count(*) FROM store_orders.tree_nodes) FROM store_orders.tree`,
};
const REFUSALS: Statement = {
  name: 'checked_refusals',
  text: `SELECT position, record FROM store_orders.refusals
           WHERE position > $1 ORDER BY position LIMIT ${CHUNK}`,
};

/**
 * Reads a whole store once, and throws {@link DamagedStore} at the first thing that is not what was
 * recorded: the schema, the keys, the kept outcomes, the events against their tree, the refusals.
 * Instances may be running.
 *
 * No transaction lasts longer than a chunk takes: a long one would keep PostgreSQL from cleaning up.
 */
export async function checkPostgresStore(url: string, pace: Pace): Promise<void> {
  const db = new Database(url);
  try {
    for (const flaw of await flawsInSchema(db, SCHEMA_VERSION)) throw new DamagedStore(flaw);
    for await (const bytes of checkRows(db)) await pace(bytes);
    await checkEvents(db, pace);
    await checkRefusals(db, pace);
  } finally {
    await db.close();
  }
}

/** Every event is in the tree, and the tree is of these events alone. */
async function checkEvents(db: Database, pace: Pace): Promise<void> {
  const kept = { edge: Buffer.alloc(0), nodes: 0 };
  const nodes = new Map<string, Buffer>();
  const tree = new KeptTreeCheck({
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
    for (const [height, place, hash] of next.nodes) nodes.set(`${height} ${place}`, hash);
    for (const row of next.rows) {
      size += 1;
      requireTexts(row, size);
      tree.append(recordOf(row));
    }
    requireNothing(tree.findings());
    if (next.rows.length < CHUNK) {
      Object.assign(kept, next.kept);
      return requireNothing(tree.end(size));
    }
    await pace(bytesIn(next.rows));
  }
}

interface Chunk {
  readonly rows: readonly StoredRow[];
  readonly nodes: readonly (readonly [height: number, place: number, hash: Buffer])[];
  readonly kept: { readonly edge: Buffer; readonly nodes: number };
}

/** The next events with what is kept of the tree over them, as of one moment. */
async function readChunk(db: Database, after: number): Promise<Chunk> {
  const connection = await db.connect();
  try {
    const [, rows, nodes, [[edge, count] = [Buffer.alloc(0), 0]]] = await Promise.all([
      connection.run('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY'),
      connection.query<CheckedRow>(EVENTS, [after]),
      connection.query<[number, number, Buffer]>(NODES, [after]),
      connection.query<[Buffer, number]>(EDGE),
      connection.run('COMMIT'),
    ]);
    connection.release();
    return { rows: rows.map(rowOf), nodes, kept: { edge, nodes: count } };
  } catch (error) {
    connection.release(error as Error);
    throw error;
  }
}

async function checkRefusals(db: Database, pace: Pace): Promise<void> {
  let rows = await db.query<[number, string]>(REFUSALS, [0]);
  while (rows.length > 0) {
    let bytes = 0;
    for (const [position, text] of rows) {
      decodeRefusal(position, text);
      bytes += text.length;
    }
    await pace(bytes);
    rows = await db.query<[number, string]>(REFUSALS, [(rows.at(-1) as [number, string])[0]]);
  }
}
