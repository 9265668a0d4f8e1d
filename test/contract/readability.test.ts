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

/** Each engine's way to open a store, and to run a statement on it from outside. */
const ENGINES = {
  async sqlite(watcher: StoreWatcher) {
    const file = temporaryFile();
    const store = await openSqliteStore(file, watcher);
    const db = new Database(file);
    onTestFinished(() => void db.close());
    return { store, schema: '', run: async (text: string) => void db.exec(text) };
  },
  async postgres(watcher: StoreWatcher) {
    const url = await newDatabase();
    const store = await openPostgresStore(url, watcher);
    return { store, schema: 'store_orders.', run: (text: string) => sql(url, text) };
  },
};

it.each(['sqlite', 'postgres'] as const)(
  'a store that cannot be read is reported, and that it can again (%s)',
  async (engine) => {
    const told: string[] = [];
    const { store, schema, run } = await ENGINES[engine](
      watcher({
        impaired: (reason, { message }) => void told.push(`${reason}: ${message}`),
        mended: (reason) => void told.push(`${reason} no more`),
      }),
    );
    onTestFinished(() => store.close());
    onTestFinished(store.log.watch(() => {}));
    await run(`ALTER TABLE ${schema}tree RENAME TO away`);
    await expect.poll(() => told[0], WITHIN).toMatch(/^store_unreadable: .*tree/);
    await expect(headOf(store)).rejects.toThrow('tree');
    await run(`ALTER TABLE ${schema}away RENAME TO tree`);
    await expect.poll(() => told[1], WITHIN).toBe('store_unreadable no more');
    expect(await headOf(store)).toBe(0);
    expect(told).toHaveLength(2);
  },
);

async function headOf({ log }: Store): Promise<number> {
  return log.head();
}
