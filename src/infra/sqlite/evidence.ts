/** Access to a store in SQLite for `verify`, which changes nothing. */

import Database from 'better-sqlite3';
import type { ExpectedHead } from '../../app/audit/proofs/trail-check.ts';
import { UserError } from '../../app/lifecycle/user-error.ts';
import type { AcknowledgedHead } from '../../app/log/acknowledged-head.ts';
import type { Epochs } from '../../app/log/epochs.ts';
import {
  DamagedEvidence,
  type Evidence,
  type StoredRow,
  type StoredTree,
  type TreeAside,
} from '../../app/ports/evidence.ts';
import { bytesOrNone, epochsOf, refuseNewerSchema } from '../checking/stored-check.ts';
import { decodeStrictly } from '../events/codec.ts';
import { CHUNK_ROWS, type CheckedRow, storedRowIn } from '../events/row-mapping.ts';
import { startThread } from '../process/start-thread.ts';
import { checkRows, checkStructure } from './checked-rows.ts';
import { copyIn, epochRowsIn, storeIdOf } from './epochs-table.ts';
import { begunHeadOf, headFileOf, readHeadOf, requireSameBeside } from './head-file.ts';
import {
  APPLICATION_ID,
  SCHEMA_VERSION,
  WITH_CHECKSUMS,
  WITH_EPOCHS,
  WITH_TREE,
} from './schema.ts';
import { flawsInSchema } from './schema-check.ts';
import { signingKeysIn } from './signing-keys.ts';
import { readLog } from './start/guard.ts';
import { orFlaw } from './storage/fault.ts';
import { failedReadOf, isSqliteDamage, orFailedRead } from './storage/second-look.ts';
import { BESIDE_CHECKED, cannotOpen, requireStore } from './store-file.ts';
import { damageIn } from './wal/guard.ts';

/** Lower than any position, also than -2^63. */
export const BEFORE_ALL = Number.NEGATIVE_INFINITY;

/** The range of integers that a JavaScript number represents exactly. */
const [MIN, MAX] = [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];

/**
 * Opens a SQLite file to be checked. Throws {@link UserError} if it is not a store, or one of a
 * newer version.
 *
 * The connection is read-only: it makes no checkpoint and no migration. It may leave an empty
 * `-wal` file and a `-shm` file beside a store that no process has open. They are not deleted,
 * because another process may have opened the store meanwhile.
 */
export function openSqliteEvidence(file: string): Evidence {
  return orFailedRead(file, () => open(file));
}

function open(file: string): Evidence {
  requireStore(file, BESIDE_CHECKED);
  // Before the log: a server may be appending, and the noted head is never ahead of the log.
  const noted = readHeadOf(file);
  const damage = damageIn(`${file}-wal`);
  const db = connect(file);
  // A second connection, whose data_version changes with each commit of another connection.
  const watch = connect(file);
  try {
    const version = schemaVersionOf(db, file);
    const before = watch.pragma('data_version', { simple: true });
    // One snapshot for all reads, whatever is appended meanwhile.
    db.exec('BEGIN');
    const flaws = flawsInSchema(db, version);
    const storeId = orFlaw(db, () => storeIdOf(db), flaws) ?? '';
    if (damage !== undefined) flaws.push(`${file}-wal is damaged at ${damage}`);
    if (noted !== undefined && storeId !== '' && noted.storeId !== storeId) {
      flaws.push(`${headFileOf(file)} is of the store ${noted.storeId}, and this is ${storeId}`);
    }
    const isChecked = version >= WITH_CHECKSUMS;
    orFlaw(db, () => checkAll(db, version), flaws);
    const isSame = () => watch.pragma('data_version', { simple: true }) === before;
    const ends = db.prepare('SELECT coalesce(max(position), 0) FROM events').pluck();
    const last = orFlaw(db, () => ends.get() as number, flaws) ?? 0;
    const epochs = epochsOf(storeId, version < WITH_EPOCHS ? [] : epochRowsIn(db), flaws);
    const copy = version < WITH_EPOCHS ? undefined : orFlaw(db, () => copyIn(db), flaws);
    const head = begunHeadOf(file, epochs) ?? noted;
    if (head === undefined && version >= WITH_EPOCHS && last > 0 && copy === undefined) {
      flaws.push(`${headFileOf(file)} is missing or cannot be read`);
    }
    if (flaws.length === 0)
      orFlaw(db, () => requireSameBeside(file, (at) => readLog(file, at)), flaws);
    return {
      storeId,
      epochs,
      decode: decodeStrictly,
      last,
      events: () => rowsOf(db),
      ...(version < WITH_TREE
        ? { tree: undefined }
        : { tree: treeOf(db), treeAside: (sizes) => treeAside(file, last, sizes, isSame) }),
      acknowledged: head && headOf(file, head, epochs, copy !== undefined),
      signedWith: isChecked ? orFlaw(db, () => signingKeysIn(db), []) : undefined,
      flaws,
      close() {
        db.close();
        watch.close();
      },
    };
  } catch (error) {
    db.close();
    watch.close();
    throw error instanceof Database.SqliteError ? cannotOpen(error, file, 'read') : error;
  }
}

/**
 * Builds the tree in another thread; `undefined` if that fails, or if it reads another snapshot.
 */
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
      // The thread reads another snapshot, which must not be compared with this one.
      else if (!isSame()) resolve(undefined);
    });
    worker.once('error', () => resolve(undefined));
    worker.once('exit', () => resolve(undefined));
  }).finally(() => worker.terminate()) as Promise<TreeAside | undefined>;
}

function checkAll(db: Database.Database, version: number): void {
  if (version >= WITH_CHECKSUMS) for (const _bytes of checkRows(db, version));
  checkStructure(db);
}

function connect(file: string): Database.Database {
  try {
    return new Database(file, { readonly: true, fileMustExist: true });
  } catch (error) {
    throw cannotOpen(error, file, 'read');
  }
}

function schemaVersionOf(db: Database.Database, file: string): number {
  if (db.pragma('application_id', { simple: true }) !== APPLICATION_ID) {
    throw new UserError(`${file} is no store of this program.`);
  }
  const version = db.pragma('user_version', { simple: true }) as number;
  refuseNewerSchema(file, version, SCHEMA_VERSION);
  return version;
}

/**
 * Returns the statement that selects the next {@link CHUNK_ROWS} after a position. An integer that is
 * stored as another type, such as the real number 1.0, is null.
 */
export function selectRows(db: Database.Database): Database.Statement {
  return db
    .prepare(
      `SELECT position,
              CASE WHEN typeof(order_id) <> 'integer' THEN NULL
                WHEN order_id BETWEEN ${MIN} AND ${MAX} THEN order_id
                ELSE CAST(order_id AS TEXT) END,
              iif(typeof(version) = 'integer', version, NULL), type,
              iif(typeof(schema_version) = 'integer', schema_version, NULL), data, metadata
         FROM events WHERE position > ? ORDER BY position LIMIT ${CHUNK_ROWS}`,
    )
    .raw();
}

function* rowsOf(db: Database.Database): Iterable<readonly StoredRow[]> {
  const select = selectRows(db);
  let after = BEFORE_ALL;
  for (;;) {
    const { rows, damage } = readAll(select, after);
    if (rows.length > 0) yield rows.map(storedRowIn);
    if (damage !== undefined) throw damage;
    if (rows.length < CHUNK_ROWS) return;
    after = (rows.at(-1) as CheckedRow)[0];
    // Of positions that are not exact, the same might be read for ever. No log has one.
    if (!Number.isSafeInteger(after)) return;
  }
}

/** Returns the next rows; if some cannot be read, those in front of the damage. */
function readAll(select: Database.Statement, after: number) {
  const rows: CheckedRow[] = [];
  try {
    return { rows: readOrThrow(select.database, () => select.all(after) as CheckedRow[]) };
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

/** Returns the stored tree. Each access reads the database. */
export function treeOf(db: Database.Database): StoredTree {
  const node = db.prepare('SELECT hash FROM tree_nodes WHERE height = ? AND place = ?').pluck();
  const edges = db.prepare('SELECT edge FROM tree').pluck();
  const nodes = db.prepare('SELECT count(*) FROM tree_nodes').pluck();
  return {
    get edge() {
      const all = readOrThrow(db, () => edges.all());
      return bytesOrNone(all.length === 1 ? all[0] : undefined);
    },
    get nodes() {
      return readOrThrow(db, () => nodes.get() as number);
    },
    nodeAt(height, place) {
      const hash = readOrThrow(db, () => node.get(height, place));
      return hash === undefined ? undefined : bytesOrNone(hash);
    },
  };
}

/**
 * Returns the noted head of a log; `undefined` if a later epoch gave it up, or the log is a copy.
 */
function headOf(
  file: string,
  { epoch, position, root }: AcknowledgedHead,
  epochs: Epochs,
  isCopied: boolean,
): ExpectedHead | undefined {
  const end = epochs.endOf(epoch);
  if (isCopied || (end !== undefined && position > end.position)) return undefined;
  const expected = root === undefined ? undefined : Buffer.from(root, 'hex');
  return { name: headFileOf(file), size: position, root: expected };
}

function readOrThrow<Result>({ name }: Database.Database, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    if (!isSqliteDamage(error)) throw cannotOpen(error, name, 'read');
    throw failedReadOf(error, name) ?? new DamagedEvidence(error.message);
  }
}
