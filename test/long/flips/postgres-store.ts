import { cpSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StoreWatcher } from '../../../src/app/ports/store.ts';
import { UNPACED } from '../../../src/infra/checking/keep-checking.ts';
import { Database } from '../../../src/infra/postgres/connection/database.ts';
import { PostgresEventLog } from '../../../src/infra/postgres/event-log.ts';
import { migrate } from '../../../src/infra/postgres/migrations.ts';
import { partsOf } from '../../../src/infra/postgres/parts.ts';
import { openPostgresStore } from '../../../src/infra/postgres/store.ts';
import { checkPostgresStore } from '../../../src/infra/postgres/store-check.ts';
import { foldSourceIn } from '../../../src/infra/postgres/stored-events.ts';
import { Cluster, placeInMemory } from '../../support/postgres/cluster.ts';
import { type Answers, answersTo, fill } from './content.ts';
import type { StoppedStore } from './flips.ts';

const PAGE_BYTES = 8_192;

/** The time after which a damaged server counts as one that does not start. */
const PATIENCE_MS = 10_000;

const SILENT: StoreWatcher = { lost() {}, impaired() {}, mended() {}, noticed() {} };

/** The files of the tables and indexes of a store, in the server's folder. */
const FILES = `
  SELECT pg_relation_filepath(oid) AS name, relname AS relation FROM pg_class
    WHERE relnamespace = 'store_orders'::regnamespace AND relkind IN ('r', 'i')
      AND pg_relation_size(oid) > 0`;

/**
 * Makes a store on PostgreSQL, in a server of its own that is stopped.
 * @param folder For the whole and the older state.
 * @param check Finds damage at a start.
 */
export async function stoppedPostgresStore(
  folder: string,
  check = checkPostgresStore,
): Promise<StoppedStore & { readonly indexOfEvents: string }> {
  const cluster = await Cluster.start(18, {}, placeInMemory());
  const older = join(folder, 'older');
  const whole = join(folder, 'whole');
  await make(cluster, () =>
    cpSync(join(cluster.data, 'base'), join(older, 'base'), { recursive: true }),
  );
  const relations = await cluster.sql<{ name: string; relation: string }>(FILES);
  const database = relations.map(({ name }) => name);
  const indexOfEvents = relations.find(({ relation }) => relation === 'events_pkey')?.name ?? '';
  await cluster.end();
  cpSync(cluster.data, whole, { recursive: true });
  const files = (readdirSync(whole, { recursive: true }) as string[]).filter((name) => {
    const about = statSync(join(whole, name));
    return about.isFile() && about.size > 0;
  });
  return {
    pageBytes: PAGE_BYTES,
    indexOfEvents,
    database,
    files,
    read: (name) => readFileSync(join(whole, name)),
    readOlder: (name) => readFileSync(join(older, name)),
    async ask(name, content = Buffer.alloc(0)) {
      rmSync(cluster.data, { recursive: true, force: true });
      cpSync(whole, cluster.data, { recursive: true });
      if (name !== undefined) writeFileSync(join(cluster.data, name), content);
      cluster.takeFiles();
      try {
        await cluster.begin(PATIENCE_MS);
        return await answersOf(cluster.url('postgres'), check);
      } catch {
        return [];
      } finally {
        await cluster.end('SIGQUIT');
      }
    },
    [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose](),
  };
}

async function make(cluster: Cluster, copy: () => void): Promise<void> {
  const url = cluster.url('postgres');
  await migrate(url, true);
  const db = new Database(url);
  const log = new PostgresEventLog(db);
  await fill({ ...partsOf(db), log }, async () => {
    await cluster.sql('CHECKPOINT');
    copy();
  });
  await log.close();
}

async function answersOf(url: string, check: typeof checkPostgresStore): Promise<Answers> {
  await check(url, UNPACED);
  const { id, close } = await openPostgresStore(url, SILENT);
  await close();
  const db = new Database(url);
  const log = new PostgresEventLog(db);
  try {
    const parts = partsOf(db, log);
    return await answersTo({ ...parts, id, log, foldSource: foldSourceIn(db) });
  } finally {
    await log.close();
  }
}
