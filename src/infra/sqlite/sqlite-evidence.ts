import Database from 'better-sqlite3';
import type { StoredRow } from '../../app/audit/event-rules.ts';
import type { KeptTree } from '../../app/audit/kept-tree.ts';
import type { ExpectedHead } from '../../app/audit/trail-check.ts';
import { CannotStart } from '../../app/cannot-start.ts';
import { DamagedEpochs, Epochs } from '../../app/epochs.ts';
import { DamagedEvidence, type Evidence, type TreeAside } from '../../app/ports/evidence.ts';
import { DamagedStore } from '../../app/ports/store.ts';
import type { Witness } from '../../app/witness.ts';
import { differences } from '../definitions.ts';
import { decodeStrictly } from '../event-codec.ts';
import { type CheckedRow, storedRowIn } from '../rows.ts';
import { startThread } from '../start-thread.ts';
import { checkRows } from './checked-rows.ts';
import { isSqliteDamage } from './damage.ts';
import { registerChecksums, requireStore, storeIdOf } from './database.ts';
import { epochsIn, isCopy } from './epochs-table.ts';
import { headFileOf, readHeadOf } from './head-file.ts';
import {
  APPLICATION_ID,
  MIGRATIONS,
  SCHEMA_VERSION,
  WITH_CHECKSUMS,
  WITH_EPOCHS,
  WITH_TREE,
} from './schema.ts';
import { damageIn } from './wal-guard.ts';

/** Rows a chunk. */
export const CHUNK = 1_000;

/** What a JavaScript number holds exactly. */
const [MIN, MAX] = [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];

/**
 * Opens a SQLite file to be checked. Throws {@link CannotStart} for what is no store, or the store
 * of a newer version.
 *
 * A connection that may only read moves nothing out of the `-wal` file and brings no schema up to
 * date. It may leave an empty `-wal` file and a `-shm` file beside a store that nobody has open:
 * nobody may delete these, because somebody may have opened it meanwhile.
 */
export function openSqliteEvidence(file: string): Evidence {
  requireStore(file);
  // Before the log: somebody may be appending, and what is noted is never ahead of the log.
  const noted = readHeadOf(file);
  const damage = damageIn(`${file}-wal`);
  const db = connect(file);
  // Tells whether anybody has committed since.
  const watch = connect(file);
  try {
    const version = schemaVersionOf(db, file);
    const before = watch.pragma('data_version', { simple: true });
    // One moment for all that is read, whatever is appended meanwhile.
    db.exec('BEGIN');
    const storeId = storeIdOf(db);
    const flaws = flawsInSchema(db, version);
    if (damage !== undefined) flaws.push(`${file}-wal is damaged at ${damage}`);
    if (noted !== undefined && noted.storeId !== storeId) {
      flaws.push(`${headFileOf(file)} is of the store ${noted.storeId}, and this is ${storeId}`);
    }
    if (version >= WITH_CHECKSUMS) flaws.push(...damageInRows(db));
    const isSame = () => watch.pragma('data_version', { simple: true }) === before;
    const last = db
      .prepare('SELECT coalesce(max(position), 0) FROM events')
      .pluck()
      .get() as number;
    const epochs = readEpochs(db, version, storeId, flaws);
    if (noted === undefined && version >= WITH_EPOCHS && last > 0 && !isCopy(db)) {
      flaws.push(`${headFileOf(file)} is missing or cannot be read`);
    }
    return {
      storeId,
      epochs,
      decode: decodeStrictly,
      last,
      events: () => rowsOf(db),
      ...(version < WITH_TREE
        ? { tree: undefined }
        : { tree: treeOf(db), treeAside: (sizes) => treeAside(file, last, sizes, isSame) }),
      acknowledged: noted && headOf(file, noted, epochs, version >= WITH_EPOCHS && isCopy(db)),
      flaws,
      close() {
        db.close();
        watch.close();
      },
    };
  } catch (error) {
    db.close();
    watch.close();
    throw error instanceof Database.SqliteError ? inPlainWords(error, file) : error;
  }
}

/** Makes the tree in a thread of its own; `undefined` where that fails, or reads something else. */
function treeAside(
  file: string,
  last: number,
  sizes: readonly number[],
  isSame: () => boolean,
): Promise<TreeAside | undefined> {
  const worker = startThread('sqlite/tree-thread', { file, last, sizes });
  return new Promise((resolve) => {
    worker.on('message', (message: 'begun' | TreeAside) => {
      if (message !== 'begun') resolve({ ...message, root: Buffer.from(message.root) });
      // What it reads is of another moment: it would be compared with what is not the same.
      else if (!isSame()) resolve(undefined);
    });
    worker.once('error', () => resolve(undefined));
    worker.once('exit', () => resolve(undefined));
  }).finally(() => worker.terminate()) as Promise<TreeAside | undefined>;
}

function connect(file: string): Database.Database {
  try {
    return new Database(file, { readonly: true, fileMustExist: true });
  } catch (error) {
    throw inPlainWords(error as Error, file);
  }
}

function damageInRows(db: Database.Database): readonly string[] {
  try {
    for (const _bytes of checkRows(db));
    return [];
  } catch (error) {
    if (error instanceof DamagedStore || isSqliteDamage(error)) return [error.message];
    throw error;
  }
}

function schemaVersionOf(db: Database.Database, file: string): number {
  if (db.pragma('application_id', { simple: true }) !== APPLICATION_ID) {
    throw new CannotStart(`${file} is no store of this program.`);
  }
  const version = db.pragma('user_version', { simple: true }) as number;
  if (version <= SCHEMA_VERSION) return version;
  throw new CannotStart(
    `${file} has schema ${version}, and this version knows up to ${SCHEMA_VERSION}: ` +
      'use a newer version of store-orders.',
  );
}

/**
 * What makes a table refuse to be changed is part of its schema: whoever wants to change it has to
 * take that away first, and may leave something of their own behind.
 */
export function flawsInSchema(db: Database.Database, version: number): string[] {
  const model = new Database(':memory:');
  try {
    registerChecksums(model);
    for (const migration of MIGRATIONS.slice(0, version)) model.exec(migration);
    return differences(definitionsIn(model), definitionsIn(db));
  } finally {
    model.close();
  }
}

function definitionsIn(db: Database.Database): Map<string, string> {
  // What ANALYZE has gathered, and the indexes of keys, are SQLite's own.
  const rows = db
    .prepare(`SELECT type || ' ' || name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%'`)
    .raw()
    .all() as [string, string][];
  return new Map(rows);
}

/** The first rows after a position, {@link CHUNK} at most: {@link CheckedRow}. */
export function selectRows(db: Database.Database): Database.Statement {
  return db
    .prepare(
      `SELECT position, iif(order_id BETWEEN ${MIN} AND ${MAX}, order_id, CAST(order_id AS TEXT)),
              version, type, schema_version, data, metadata
         FROM events WHERE position > ? ORDER BY position LIMIT ${CHUNK}`,
    )
    .raw();
}

function* rowsOf(db: Database.Database): Iterable<readonly StoredRow[]> {
  const select = selectRows(db);
  let after = Number.MIN_SAFE_INTEGER;
  for (;;) {
    const { rows, damage } = readAll(select, after);
    if (rows.length > 0) yield rows.map(storedRowIn);
    if (damage !== undefined) throw damage;
    if (rows.length < CHUNK) return;
    after = (rows.at(-1) as CheckedRow)[0];
  }
}

/** The next rows; where they cannot all be read, those in front of the damage. */
function readAll(select: Database.Statement, after: number) {
  const rows: CheckedRow[] = [];
  try {
    return { rows: readOrSay(() => select.all(after) as CheckedRow[]) };
  } catch (error) {
    if (!(error instanceof DamagedEvidence)) throw error;
  }
  try {
    for (const row of select.iterate(after)) rows.push(row as CheckedRow);
    return { rows };
  } catch (error) {
    return { rows, damage: new DamagedEvidence((error as Error).message) };
  }
}

/** What is kept of the tree, as it is when it is asked for. */
export function treeOf(db: Database.Database): KeptTree {
  const node = db.prepare('SELECT hash FROM tree_nodes WHERE height = ? AND place = ?').pluck();
  const edges = db.prepare('SELECT edge FROM tree').pluck();
  const nodes = db.prepare('SELECT count(*) FROM tree_nodes').pluck();
  return {
    get edge() {
      const all = edges.all() as Buffer[];
      return all.length === 1 ? (all[0] as Buffer) : Buffer.alloc(0);
    },
    get nodes() {
      return nodes.get() as number;
    },
    nodeAt: (height, place) => readOrSay(() => node.get(height, place) as Buffer | undefined),
  };
}

/** What its head says of a log; `undefined` where that was given up since, or the log is a copy. */
function headOf(
  file: string,
  { epoch, position, root }: Witness,
  epochs: Epochs,
  isCopied: boolean,
): ExpectedHead | undefined {
  const end = epochs.endOf(epoch);
  if (isCopied || (end !== undefined && position > end.position)) return undefined;
  const expected = root === undefined ? undefined : Buffer.from(root, 'hex');
  return { name: headFileOf(file), size: position, root: expected };
}

function readEpochs(
  db: Database.Database,
  version: number,
  storeId: string,
  flaws: string[],
): Epochs {
  try {
    if (version >= WITH_EPOCHS) return epochsIn(db);
  } catch (error) {
    if (!(error instanceof DamagedEpochs)) throw error;
    flaws.push(error.message);
  }
  return new Epochs(storeId);
}

function readOrSay<Result>(read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    if (error instanceof Database.SqliteError) throw new DamagedEvidence(error.message);
    throw error;
  }
}

function inPlainWords(error: Error, file: string): CannotStart {
  const { code = '' } = error as { code?: string };
  if (code === 'SQLITE_NOTADB') return new CannotStart(`${file} is not a SQLite database.`);
  const isClosed = ['SQLITE_CANTOPEN', 'SQLITE_READONLY'].some((name) => code.startsWith(name));
  const hint = isClosed ? ' It takes a folder that may be written to: copy it to one.' : '';
  return new CannotStart(`${file} cannot be read: ${error.message}.${hint}`);
}
