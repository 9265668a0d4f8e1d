/** Access to a store in PostgreSQL for `verify`, which changes nothing. */

import { UserError } from '../../app/lifecycle/user-error.ts';
import { DamagedEvidence, type Evidence, type StoredRow } from '../../app/ports/evidence.ts';
import { DamagedStore, StoreUnavailable } from '../../app/ports/store.ts';
import { UNPACED } from '../checking/keep-checking.ts';
import {
  bytesOrNone,
  checkRefusals,
  epochsOf,
  refuseNewerSchema,
} from '../checking/stored-check.ts';
import { decodeStrictly } from '../events/codec.ts';
import { shownAddress } from '../settings/postgres-address.ts';
import { checkRows, THROUGH_INDEXES } from './checked-rows.ts';
import type { Connection, Statement } from './connection/connection.ts';
import { Database } from './connection/database.ts';
import { isPostgresDamage } from './connection/errors.ts';
import { aboutStoreIn, cannotOpen } from './database.ts';
import { epochRowsIn } from './epochs-table.ts';
import { COPY_EVENTS, rowsIn } from './event-lines.ts';
import { SCHEMA_VERSION, WITH_CHECKSUMS, WITH_EPOCHS } from './schema.ts';
import { flawsInSchema } from './schema-check.ts';
import { signingKeysIn } from './signing-keys.ts';
import { requireOwnSessions } from './start/own-sessions.ts';
import { REFUSALS } from './store-check.ts';
import { type ReadTree, storedTreeIn, TreeThread } from './tree-aside.ts';

/** The timeouts, in milliseconds. An answer may take long: tampering may have dropped an index. */
const CHECK_TIMEOUTS = { connect: 3_000, answer: 300_000 };

/** The beginning of a read-only transaction with one snapshot, whatever is appended meanwhile. */
const BEGIN_SNAPSHOT = `
  BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
  SET LOCAL statement_timeout = ${CHECK_TIMEOUTS.answer};
  SET LOCAL idle_in_transaction_session_timeout = 0;
  SET LOCAL search_path = pg_catalog;
`;

/**
 * The beginning of each read of the events. It ends what a read before it has left, be it an error
 * or a rest that is still being sent. A large log takes as long as it takes. Without a sort, the
 * events in front of damage are sent before it is met.
 */
const READ_EVENTS = `
  ROLLBACK TO SAVEPOINT opened;
  SET LOCAL statement_timeout = 0;
  SET LOCAL enable_sort = off;
`;

const MAY_READ_ROWS: Statement = {
  name: 'may_read_rows',
  text: `SELECT has_table_privilege('store_orders.api_keys', 'SELECT')
            AND has_table_privilege('store_orders.kept_outcomes', 'SELECT')
            AND coalesce(
                  has_table_privilege(to_regclass('store_orders.key_changes'), 'SELECT'), true)`,
};
const MAY_READ_SIGNING_KEYS: Statement = {
  name: 'may_read_signing_keys',
  text: `SELECT coalesce(has_table_privilege(to_regclass('store_orders.signing_keys'), 'SELECT'), false)`,
};
const MAY_READ_REFUSALS: Statement = {
  name: 'may_read_refusals',
  text: `SELECT coalesce(has_table_privilege(to_regclass('store_orders.refusals'), 'SELECT'), false)`,
};
const LAST: Statement = {
  name: 'last',
  // No log has a position that JavaScript does not represent exactly.
  text: `SELECT least(coalesce(max(position), 0), ${Number.MAX_SAFE_INTEGER}) FROM store_orders.events`,
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
type NodeRow = [height: number, place: number, hash: unknown];

/**
 * Opens a store in PostgreSQL to be checked. Throws {@link UserError} if there is no store, or
 * one of a newer version. Takes no lock that blocks other sessions.
 */
export async function openPostgresEvidence(url: string): Promise<Evidence> {
  const db = new Database(url, undefined, CHECK_TIMEOUTS);
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
  await connection.run(BEGIN_SNAPSHOT);
  const damaged: string[] = [];
  const about = await aboutStoreIn(connection).catch((error) => {
    if (!(error instanceof DamagedStore)) throw error;
    damaged.push(error.message);
    return ['', SCHEMA_VERSION, true] as const;
  });
  if (about === undefined) throw new UserError(`There is no store in ${shownAddress(url)}.`);
  const [storeId, version, isWhole] = about;
  refuseNewerSchema('The database', version, SCHEMA_VERSION);
  const flaws = [...(await flawsInSchema(connection, version)), ...damaged];
  if (!isWhole) flaws.push('it is not whole: another store is being copied into it');
  if (version >= WITH_CHECKSUMS) await checkOtherRows(connection, version, flaws);
  const signedWith = await readIfAllowed(connection, MAY_READ_SIGNING_KEYS, flaws, () =>
    signingKeysIn(connection),
  );
  await checkRefusalsIn(connection, flaws);
  const [[last] = [0]] = await connection.query<[number]>(LAST);
  const rows = version < WITH_EPOCHS ? [] : await epochRowsIn(connection);
  const epochs = epochsOf(storeId, rows, flaws);
  const tree = await treeOf(connection, last);
  await connection.run('SAVEPOINT opened');
  let thread: TreeThread | undefined;
  return {
    storeId,
    epochs,
    decode: decodeStrictly,
    last,
    events() {
      const rows = rowsOf(connection, thread);
      // Of one read only: the next is one to locate a flaw.
      thread = undefined;
      return rows;
    },
    tree: storedTreeIn(tree),
    treeAside(sizes) {
      thread = new TreeThread({ tree, last, sizes });
      return thread.made;
    },
    // The head is not noted beside the database, but on the machines of the instances.
    acknowledged: undefined,
    signedWith,
    flaws,
  };
}

/** Adds the damage of API keys and kept outcomes to `flaws`. */
async function checkOtherRows(
  connection: Connection,
  version: number,
  flaws: string[],
): Promise<void> {
  await readIfAllowed(connection, MAY_READ_ROWS, flaws, async () => {
    await connection.run(THROUGH_INDEXES);
    for await (const _bytes of checkRows(connection, version));
  });
}

/** Adds the damage of refusals to `flaws`. */
async function checkRefusalsIn(connection: Connection, flaws: string[]): Promise<void> {
  await readIfAllowed(connection, MAY_READ_REFUSALS, flaws, () =>
    checkRefusals((after) => connection.query<[number, string]>(REFUSALS, [after]), UNPACED),
  );
}

/**
 * Reads tables, and takes back whatever reading has set. Resolves with `undefined`, and reads nothing,
 * without the right to: an auditor may be allowed to read only the events and their tree. Adds damage to
 * `flaws`. An error behind a flaw, such as for a column that the altered schema lacks, is explained by
 * that flaw.
 * @param mayRead Selects true if the tables may be read.
 */
async function readIfAllowed<Result>(
  connection: Connection,
  mayRead: Statement,
  flaws: string[],
  read: () => Promise<Result>,
): Promise<Result | undefined> {
  const [[isAllowed] = [false]] = await connection.query<[boolean]>(mayRead);
  if (!isAllowed) return undefined;
  await connection.run('SAVEPOINT reading');
  try {
    return await read();
  } catch (error) {
    if (error instanceof DamagedStore || isPostgresDamage(error)) flaws.push(error.message);
    else if (flaws.length === 0) throw error;
    return undefined;
  } finally {
    await connection.run('ROLLBACK TO SAVEPOINT reading');
  }
}

/**
 * Yields all events in chunks. They can be read again, which drops what is left of the first time.
 * @param thread The thread that builds the tree over them.
 */
async function* rowsOf(
  connection: Connection,
  thread: TreeThread | undefined,
): AsyncIterable<readonly StoredRow[]> {
  let isWhole = false;
  try {
    await connection.run(READ_EVENTS);
    for await (const lines of connection.copyOut(COPY_EVENTS, CHECK_TIMEOUTS.answer)) {
      const rows = rowsIn(lines);
      const passedOn = thread?.add(lines);
      yield rows;
      await passedOn;
    }
    isWhole = true;
  } catch (error) {
    if (isPostgresDamage(error)) throw new DamagedEvidence(error.message);
    throw new StoreUnavailable(error as Error);
  } finally {
    await (isWhole ? thread?.end() : thread?.stop());
  }
}

async function treeOf(connection: Connection, last: number): Promise<ReadTree> {
  const edges = await connection.query<[unknown]>(EDGES);
  const [[nodes] = [0]] = await connection.query<[number]>(COUNT_NODES);
  // In memory: there is one node in 256 events, and the orders take much more memory.
  const hashes = new Map<string, Buffer>();
  for (const [height, place, hash] of await connection.query<NodeRow>(NODES, [last])) {
    hashes.set(`${height}/${place}`, bytesOrNone(hash));
  }
  const edge = bytesOrNone(edges.length === 1 ? edges[0]?.[0] : undefined);
  return { edge, nodes, hashes };
}
