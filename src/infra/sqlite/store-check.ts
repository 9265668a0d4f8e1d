import { existsSync, statSync } from 'node:fs';
import Database from 'better-sqlite3';
import { KeptTreeCheck } from '../../app/audit/kept-tree.ts';
import { recordOf } from '../../app/audit/record.ts';
import { DamagedEpochs, type Epochs } from '../../app/epochs.ts';
import { DamagedStore } from '../../app/ports/store.ts';
import type { Pace } from '../pace.ts';
import { decodeRefusal } from '../refusal-codec.ts';
import { type CheckedRow, storedRowIn } from '../rows.ts';
import { bytesIn, requireNothing, requireTexts } from '../stored-check.ts';
import { checkRows } from './checked-rows.ts';
import { isSqliteDamage } from './damage.ts';
import { storeIdOf } from './database.ts';
import { epochsIn } from './epochs-table.ts';
import { headFileOf, readHeadOf } from './head-file.ts';
import { MerkleTables } from './merkle-tables.ts';
import { SCHEMA_VERSION } from './schema.ts';
import { checkSnapshot } from './snapshot-file.ts';
import { CHUNK, flawsInSchema, selectRows, treeOf } from './sqlite-evidence.ts';
import { damageIn } from './wal-guard.ts';

/** Refusals that are read at once. */
const CHUNK_ROWS = 1_000;

/** Up to which size the structure of a database is checked as a whole, in bytes: about a second. */
const WHOLE_CHECK_BYTES = 268_435_456;

/**
 * Reads all files of a store once, and throws {@link DamagedStore} at the first thing that is not what
 * was recorded: the schema, the keys, the kept outcomes, the structure of the database, the events
 * against their tree, and the files beside. A server may be running.
 *
 * Each call opens the files anew. A connection that has read a page would find it in its own memory, and
 * not see what became of it on the disk.
 */
export async function checkSqliteStore(file: string, pace: Pace): Promise<void> {
  await readAll(file, async (db) => {
    for (const flaw of flawsInSchema(db, SCHEMA_VERSION)) throw new DamagedStore(flaw);
    // Before the log: somebody may be appending, and what is noted is never ahead of the log.
    const noted = readHeadOf(file);
    checkHead(db, file, noted);
    for (const bytes of checkRows(db)) await pace(bytes);
    await checkStructure(db, pace);
    await checkEvents(db, pace);
  });
  await checkRefusals(file, pace);
  await checkSnapshot(file, pace);
  const damage = damageIn(`${file}-wal`);
  if (damage !== undefined) throw new DamagedStore(`${file}-wal is damaged at ${damage}`);
}

/** Opens a database to read all of it, and says of what cannot be read that it is damaged. */
async function readAll(file: string, read: (db: Database.Database) => Promise<void>) {
  let db: Database.Database | undefined;
  try {
    db = new Database(file, { readonly: true, fileMustExist: true });
    await read(db);
  } catch (error) {
    if (isSqliteDamage(error)) throw new DamagedStore(`${file} cannot be read: ${error.message}`);
    throw error;
  } finally {
    db?.close();
  }
}

/** SQLite's own check: every page belongs to one thing, and every tree of pages is in order. */
async function checkStructure(db: Database.Database, pace: Pace): Promise<void> {
  const { size } = statSync(db.name);
  // A check of the whole cannot be interrupted. Of a large store the events are read anyway.
  const parts = size <= WHOLE_CHECK_BYTES ? [''] : tablesBeside(db);
  for (const part of parts) {
    const problem = db.pragma(`integrity_check(${part || 1})`, { simple: true });
    if (problem !== 'ok') throw new DamagedStore(`${db.name} is no whole database: ${problem}`);
  }
  await pace(size);
}

/** All tables but the large one. */
function tablesBeside(db: Database.Database): readonly string[] {
  const select = db.prepare(
    `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT IN ('events', 'refusals')`,
  );
  return select.pluck().all() as string[];
}

/** Every event is in the tree, and the tree is of these events alone. */
async function checkEvents(db: Database.Database, pace: Pace): Promise<void> {
  const tree = new KeptTreeCheck(treeOf(db));
  const select = selectRows(db);
  let size = 0;
  // The last chunk and the edge of the tree are read as of one moment.
  const checkNext = db.transaction(() => {
    const rows = (select.all(size) as CheckedRow[]).map(storedRowIn);
    for (const row of rows) {
      size += 1;
      requireTexts(row, size);
      tree.append(recordOf(row));
    }
    if (rows.length < CHUNK) requireNothing(tree.end(size));
    requireNothing(tree.findings());
    return rows;
  });
  for (;;) {
    const rows = checkNext();
    if (rows.length < CHUNK) return;
    await pace(bytesIn(rows));
  }
}

/** What is noted beside the database does not contradict it. */
function checkHead(
  db: Database.Database,
  file: string,
  noted: ReturnType<typeof readHeadOf>,
): void {
  if (noted === undefined) return;
  const frontier = new MerkleTables(db).frontier();
  const isSame = frontier.size === noted.position && noted.root !== undefined;
  const isOther = isSame && frontier.root().toString('hex') !== noted.root;
  const isKnown = noted.storeId === storeIdOf(db) && epochsOf(db).has(noted.epoch);
  if (isKnown && frontier.size >= noted.position && !isOther) return;
  throw new DamagedStore(`${headFileOf(file)} is of another log`);
}

function epochsOf(db: Database.Database): Epochs {
  try {
    return epochsIn(db);
  } catch (error) {
    throw error instanceof DamagedEpochs ? new DamagedStore(error.message) : error;
  }
}

async function checkRefusals(file: string, pace: Pace): Promise<void> {
  const name = `${file}-refusals`;
  if (!existsSync(name)) return;
  await readAll(name, async (db) => {
    await checkStructure(db, pace);
    const select = db
      .prepare('SELECT position, record FROM refusals WHERE position > ? ORDER BY position LIMIT ?')
      .raw();
    let rows = select.all(0, CHUNK_ROWS) as [number, string][];
    while (rows.length > 0) {
      let bytes = 0;
      for (const [position, text] of rows) {
        decodeRefusal(position, text);
        bytes += text.length;
      }
      await pace(bytes);
      rows = select.all((rows.at(-1) as [number, string])[0], CHUNK_ROWS) as [number, string][];
    }
  });
}
