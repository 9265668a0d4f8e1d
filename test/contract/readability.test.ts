import { setTimeout } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { expect, it, onTestFinished } from 'vitest';
import type { Store, StoreWatcher } from '../../src/app/ports/store.ts';
import { openPostgresStore } from '../../src/infra/postgres/store.ts';
import { openSqliteStore } from '../../src/infra/sqlite/store.ts';
import { temporaryFile } from '../support/folder.ts';
import { newDatabase } from '../support/postgres/databases.ts';
import { sql } from '../support/postgres/sql.ts';
import { watcher } from '../support/watcher.ts';

/** Longer than the interval between two looks at the head, on either engine. */
const WITHIN = { timeout: 20_000, interval: 20 };

/** A change of each engine's schema that does not stop a service, and its end. */
const ALTERED = {
  sqlite: ['CREATE INDEX more ON api_keys (name)', 'DROP INDEX more'],
  postgres: [
    'ALTER TABLE store_orders.events DISABLE TRIGGER events_never_change',
    'ALTER TABLE store_orders.events ENABLE TRIGGER events_never_change',
  ],
} as const;

/** Each engine's way to open a store, and to run a statement on it from outside. */
const ENGINES = {
  async sqlite(watcher: StoreWatcher, scrub?: number) {
    const file = temporaryFile();
    const store = await openSqliteStore(file, watcher, scrub);
    const db = new Database(file);
    onTestFinished(() => void db.close());
    return { store, schema: '', run: async (text: string) => void db.exec(text) };
  },
  async postgres(watcher: StoreWatcher, scrub?: number) {
    const url = await newDatabase();
    const store = await openPostgresStore(url, watcher, scrub);
    return { store, schema: 'store_orders.', run: (text: string) => sql(url, text) };
  },
};

/** Opens a store of an engine, and returns the changes of its state in order. */
async function watched(engine: keyof typeof ENGINES, scrub?: number) {
  const told: string[] = [];
  const opened = await ENGINES[engine](
    watcher({
      impaired: (reason, { message }) => void told.push(`${reason}: ${message}`),
      mended: (reason) => void told.push(`${reason} no more`),
    }),
    scrub,
  );
  const { store } = opened;
  onTestFinished(() => store.close());
  onTestFinished(store.log.watch(() => {}));
  // A table that goes between the two looks of a round is missed by the trial of writes as well.
  const of = (reason: 'store_unreadable' | 'writes_refused') =>
    told.filter((text) => text.startsWith(reason));
  return { ...opened, told, of };
}

it.each(['sqlite', 'postgres'] as const)(
  'a store that cannot be read is reported, and that it can again (%s)',
  async (engine) => {
    const { store, schema, run, told, of } = await watched(engine);
    const [reads, writes] = [() => of('store_unreadable'), () => of('writes_refused')];
    await run(`ALTER TABLE ${schema}tree RENAME TO away`);
    await expect.poll(() => reads()[0], WITHIN).toMatch(/^store_unreadable: .*tree/);
    await expect(headOf(store)).rejects.toThrow('tree');
    await run(`ALTER TABLE ${schema}away RENAME TO tree`);
    await expect.poll(() => reads()[1], WITHIN).toBe('store_unreadable no more');
    expect(await headOf(store)).toBe(0);
    await expect.poll(() => writes().length % 2, WITHIN).toBe(0);
    expect(reads()).toHaveLength(2);
    expect(told).toHaveLength(2 + writes().length);
  },
);

it.each(['sqlite', 'postgres'] as const)(
  'a table beside the log that cannot be read is reported, and that it can again (%s)',
  async (engine) => {
    const { schema, run, told, of } = await watched(engine);
    const [reads, writes] = [() => of('store_unreadable'), () => of('writes_refused')];
    const due: unknown[] = [];
    for (const table of ['api_keys', 'kept_outcomes']) {
      await run(`ALTER TABLE ${schema}${table} RENAME TO away`);
      due.push(expect.stringMatching(`^store_unreadable: .*${table}`));
      await expect.poll(reads, WITHIN).toStrictEqual(due);
      await run(`ALTER TABLE ${schema}away RENAME TO ${table}`);
      due.push('store_unreadable no more');
      await expect.poll(reads, WITHIN).toStrictEqual(due);
    }
    await expect.poll(() => writes().length % 2, WITHIN).toBe(0);
    expect(told).toHaveLength(due.length + writes().length);
  },
);

it.each(['sqlite', 'postgres'] as const)(
  'a schema that was altered is reported, and that it no longer is (%s)',
  async (engine) => {
    const { store, run, told } = await watched(engine, 1_000_000);
    await store.check?.once;
    const [harm, mend] = ALTERED[engine];
    await run(harm);
    await expect
      .poll(() => told.splice(0), WITHIN)
      .toContainEqual(
        expect.stringMatching(/^schema_altered: the (?:index|trigger) .* of the database is /),
      );
    await run(mend);
    await expect.poll(() => told, WITHIN).toStrictEqual(['schema_altered no more']);
  },
);

/** Opens a store in PostgreSQL as a user who is not the owner. */
async function watchedAsUser() {
  const admin = await newDatabase();
  const user = `reader_${new URL(admin).pathname.slice(1)}`;
  await sql(admin, `CREATE ROLE ${user} LOGIN IN ROLE store_orders_app`);
  onTestFinished(async () => void (await sql(admin, `DROP ROLE ${user}`)));
  const told: string[] = [];
  const store = await openPostgresStore(
    admin.replace('postgres@', `${user}@`),
    watcher({
      impaired: (reason, { message }) => {
        const news = `${reason}: ${message}`;
        if (told.at(-1) !== news) told.push(news);
      },
      mended: (reason) => void told.push(`${reason} no more`),
    }),
  );
  onTestFinished(() => store.close());
  return { admin, told };
}

it.each([
  ['SELECT', 'api_keys', /^store_unreadable: permission denied for table api_keys/],
  ['INSERT', 'events', /^rights_missing: the user \S+ lacks rights \(insert events\)/],
  ['UPDATE (edge)', 'tree', /^rights_missing: .* \(update tree\)/],
])('a right that is taken away is reported, and that it is back: %s on %s', async (...given) => {
  const [right, table, news] = given;
  const { admin, told } = await watchedAsUser();
  const rights = `${right} ON store_orders.${table}`;
  await sql(admin, `REVOKE ${rights} FROM store_orders_app`);
  await expect.poll(() => told, WITHIN).toContainEqual(expect.stringMatching(news));
  await sql(admin, `GRANT ${rights} TO store_orders_app`);
  const unended = () =>
    told
      .filter((text) => text.includes(': '))
      .map((text) => `${text.split(':', 1)[0]} no more`)
      .filter((end) => !told.includes(end));
  await expect.poll(unended, WITHIN).toStrictEqual([]);
});

it.each(['api_keys', 'events'])(
  'a lock on %s that lasts is reported, and its end',
  async (table) => {
    const { run, told } = await watched('postgres');
    // Until it is reported: on a busy machine, that takes longer than on another.
    const unlocked = run(
      `BEGIN; LOCK TABLE store_orders.${table} IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep(90)`,
    ).catch(() => undefined);
    await expect
      .poll(() => told, { ...WITHIN, timeout: 60_000 })
      .toStrictEqual(['store_unreadable: canceling statement due to lock timeout']);
    await run(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND query LIKE '%pg_sleep(90)' AND state = 'active'`,
    );
    await unlocked;
    await expect.poll(() => told[1], WITHIN).toBe('store_unreadable no more');
  },
);

it('a lock that is held for a moment is not reported', async () => {
  const { run, told } = await watched('postgres');
  await run(
    'BEGIN; LOCK TABLE store_orders.events IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep(3.5); COMMIT',
  );
  await setTimeout(2_000);
  expect(told).toStrictEqual([]);
});

async function headOf({ log }: Store): Promise<number> {
  return log.head();
}
