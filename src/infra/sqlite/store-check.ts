/** The repeated check of a whole store in SQLite. */

import { existsSync } from 'node:fs';
import Database from 'better-sqlite3';
import { StoredTreeCheck } from '../../app/audit/trail/stored-tree-check.ts';
import type { Epochs } from '../../app/log/epochs.ts';
import type { Evidence } from '../../app/ports/evidence.ts';
import { AlteredSchema, DamagedStore } from '../../app/ports/store.ts';
import { type Pace, UNPACED } from '../checking/keep-checking.ts';
import { bytesIn, checkEvents, checkRefusals, requireEpochs } from '../checking/stored-check.ts';
import { CHUNK_ROWS, type CheckedRow, storedRowIn } from '../events/row-mapping.ts';
import { checkSnapshot, snapshotBeside } from '../snapshot/snapshot-file.ts';
import { checkRows, checkStructure } from './checked-rows.ts';
import { epochRowsIn, storeIdOf } from './epochs-table.ts';
import { BEFORE_ALL, openSqliteEvidence, selectRows, treeOf } from './evidence.ts';
import { headFileOf, readHeadOf, requireSameBeside } from './head-file.ts';
import { MerkleTables } from './merkle-tables.ts';
import { SCHEMA_VERSION } from './schema.ts';
import { flawsInSchema } from './schema-check.ts';
import { readLog } from './start/guard.ts';
import { flawsInRefusals, isBegunOnly, refusalsFileOf } from './storage/refusals-file.ts';
import { failedReadOf, isSqliteDamage } from './storage/second-look.ts';
import { namingFile } from './store-file.ts';
import { damageIn } from './wal/guard.ts';

/**
 * Reads all files of a store once, and throws {@link DamagedStore} at the first damage: in the
 * schema, the keys, the kept outcomes, the structure of the database, the events against their
 * tree, and the files beside. A server may be running.
 *
 * Each call opens the files anew. A connection would serve pages that it has read from its own
 * cache, and not detect their damage on the disk.
 */
export async function checkSqliteStore(file: string, pace: Pace): Promise<void> {
  await readAll(file, async (db) => {
    for (const flaw of flawsInSchema(db, SCHEMA_VERSION)) throw new AlteredSchema(flaw);
    // Before the log: a server may be appending, and the noted head is never ahead of the log.
    const noted = readHeadOf(file);
    checkHead(db, file, noted, requireEpochs(storeIdOf(db), epochRowsIn(db)));
    for (const bytes of checkRows(db)) await pace(bytes);
    await pace(checkStructure(db));
    requireSameBeside(file, (at) => readLog(file, at));
    await checkLog(db, pace);
  });
  await checkRefusalsOf(file, pace);
  await checkSnapshot(snapshotBeside(file), pace);
  const damage = damageIn(`${file}-wal`);
  if (damage !== undefined) throw new DamagedStore(`${file}-wal is damaged at ${damage}`);
}

/** Opens a database to read all of it. Throws {@link DamagedStore} if a page cannot be read. */
async function readAll(file: string, read: (db: Database.Database) => Promise<void>) {
  let db: Database.Database | undefined;
  try {
    db = new Database(file, { readonly: true, fileMustExist: true });
    await read(db);
  } catch (error) {
    const failed = failedReadOf(error, file);
    if (failed !== undefined || !isSqliteDamage(error)) throw failed ?? error;
    throw new DamagedStore(`${file} cannot be read: ${error.message}`);
  } finally {
    db?.close();
  }
}

/** Throws unless the tree covers exactly the events of the log. */
async function checkLog(db: Database.Database, pace: Pace): Promise<void> {
  const tree = new StoredTreeCheck(treeOf(db));
  const select = selectRows(db);
  let size = 0;
  // One transaction: the last chunk and the edge of the tree must be of one snapshot.
  const checkNext = db.transaction(() => {
    const rows = (select.all(size === 0 ? BEFORE_ALL : size) as CheckedRow[]).map(storedRowIn);
    checkEvents(tree, rows, size, rows.length < CHUNK_ROWS);
    size += rows.length;
    return rows;
  });
  for (;;) {
    const rows = checkNext();
    if (rows.length < CHUNK_ROWS) return;
    await pace(bytesIn(rows));
  }
}

/** Throws if the head that is noted beside the database contradicts it. */
function checkHead(
  db: Database.Database,
  file: string,
  noted: ReturnType<typeof readHeadOf>,
  epochs: Epochs,
): void {
  if (noted === undefined) return;
  const frontier = new MerkleTables(db).frontier();
  const isSame = frontier.size === noted.position && noted.root !== undefined;
  const isOther = isSame && frontier.root().toString('hex') !== noted.root;
  const isKnown = noted.storeId === epochs.storeId && epochs.has(noted.epoch);
  if (isKnown && frontier.size >= noted.position && !isOther) return;
  throw new DamagedStore(`${headFileOf(file)} is of another log`);
}

/** Opens a store to be checked as {@link openSqliteEvidence} does, with the refusals beside it. */
export async function openEvidenceWithRefusals(file: string): Promise<Evidence> {
  const evidence = openSqliteEvidence(file);
  try {
    await checkRefusalsOf(file, UNPACED);
    return evidence;
  } catch (error) {
    if (error instanceof DamagedStore)
      return { ...evidence, flaws: [...evidence.flaws, error.message] };
    evidence.close();
    throw namingFile(error, refusalsFileOf(file));
  }
}

async function checkRefusalsOf(file: string, pace: Pace): Promise<void> {
  const name = refusalsFileOf(file);
  if (!existsSync(name)) return;
  await readAll(name, async (db) => {
    await pace(checkStructure(db));
    // A server that has just created the file commits its table a moment later.
    if (isBegunOnly(db)) return;
    for (const flaw of flawsInRefusals(db)) throw new AlteredSchema(`${name}: ${flaw}`);
    const select = db
      .prepare(
        `SELECT position, record FROM refusals
           WHERE position > ? ORDER BY position LIMIT ${CHUNK_ROWS}`,
      )
      .raw();
    const readAfter = (after: number) => select.all(after === 0 ? BEFORE_ALL : after);
    await checkRefusals((after) => readAfter(after) as [number, string][], pace);
  });
}
