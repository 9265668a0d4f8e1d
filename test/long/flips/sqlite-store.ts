import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Projector } from '../../../src/app/read/projector.ts';
import { OrderList } from '../../../src/app/state/order-list.ts';
import { UNPACED } from '../../../src/infra/checking/keep-checking.ts';
import { SnapshotFile, snapshotBeside } from '../../../src/infra/snapshot/snapshot-file.ts';
import { openDatabase } from '../../../src/infra/sqlite/database.ts';
import { storeIdOf } from '../../../src/infra/sqlite/epochs-table.ts';
import { openLog } from '../../../src/infra/sqlite/event-log.ts';
import { SqliteKeyStore } from '../../../src/infra/sqlite/key-store.ts';
import { rootsIn } from '../../../src/infra/sqlite/merkle-tables.ts';
import { SqliteRefusals } from '../../../src/infra/sqlite/refusals.ts';
import { checkSqliteStore } from '../../../src/infra/sqlite/store-check.ts';
import { foldSourceIn } from '../../../src/infra/sqlite/stored-events.ts';
import { SqliteTrail } from '../../../src/infra/sqlite/trail.ts';
import { type Answers, answersTo, fill } from './content.ts';
import type { StoppedStore } from './flips.ts';

const FILE = 'o.db';
const PAGE_BYTES = 4_096;

/**
 * Makes a stopped store on SQLite, with the files beside it.
 * @param check Finds damage at a start.
 */
export async function stoppedSqliteStore(
  folder: string,
  check = checkSqliteStore,
): Promise<StoppedStore> {
  const whole = join(folder, 'whole');
  const older = join(folder, 'older');
  const victim = join(folder, 'victim');
  for (const each of [whole, older]) mkdirSync(each, { recursive: true });
  await make(join(whole, FILE), join(older, FILE));
  const files = readdirSync(whole).filter((name) => readFileSync(join(whole, name)).length > 0);
  return {
    pageBytes: PAGE_BYTES,
    database: [FILE],
    files,
    read: (name) => readFileSync(join(whole, name)),
    readOlder: (name) => readFileSync(join(older, name)),
    async ask(name, content = Buffer.alloc(0)) {
      rmSync(victim, { recursive: true, force: true });
      cpSync(whole, victim, { recursive: true });
      if (name !== undefined) writeFileSync(join(victim, name), content);
      return answersOf(join(victim, FILE), check);
    },
    async [Symbol.asyncDispose]() {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function make(file: string, older: string): Promise<void> {
  const db = openDatabase(file);
  const log = openLog(file, db);
  const refusals = new SqliteRefusals(file);
  await fill({ keys: new SqliteKeyStore(db), log, refusals }, () => {
    db.pragma('wal_checkpoint(TRUNCATE)');
    cpSync(file, older);
  });
  refusals.close();
  const list = new OrderList(() => null);
  await new Projector(log, list).catchUp();
  await new SnapshotFile(snapshotBeside(file), storeIdOf(db), rootsIn(db)).save(list.pack());
  await log.close();
}

async function answersOf(file: string, check: typeof checkSqliteStore): Promise<Answers> {
  let db: ReturnType<typeof openDatabase> | undefined;
  try {
    db = openDatabase(file);
    const log = openLog(file, db);
    await check(file, UNPACED);
    const refusals = new SqliteRefusals(file);
    try {
      const parts = { keys: new SqliteKeyStore(db), trail: new SqliteTrail(db), refusals };
      return await answersTo({ ...parts, id: storeIdOf(db), log, foldSource: foldSourceIn(db) });
    } finally {
      refusals.close();
    }
  } catch {
    return [];
  } finally {
    db?.close();
  }
}
