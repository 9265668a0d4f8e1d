/** Stores in SQLite whose tables were dropped, renamed or replaced by views, past the service. */

import { readFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { StoreUnavailable } from '../../../src/app/ports/store.ts';
import { acceptLossInSqlite } from '../../../src/infra/sqlite/accept-loss.ts';
import { openSqliteForCommandLine, openSqliteStore } from '../../../src/infra/sqlite/store.ts';
import { newEvent, placed } from '../../support/events.ts';
import { temporaryFile } from '../../support/folder.ts';

const TABLES = `store events tree tree_nodes api_keys key_changes kept_outcomes signing_keys epochs
  event_traces`.split(/\s+/);

const drop = (table: string) => `DROP TABLE ${table}`;
const rename = (table: string) => `ALTER TABLE ${table} RENAME TO other`;
const replace = (table: string) => `
  ALTER TABLE ${table} RENAME TO other; CREATE VIEW ${table} AS SELECT 1 AS one FROM other`;

/** A closed store of one event, with its head file beside it. */
async function closedStore(): Promise<string> {
  const file = temporaryFile();
  const store = openSqliteForCommandLine(file);
  await store.log.append(0, () => [newEvent(placed(1n))]);
  await store.close();
  return file;
}

function execute(file: string, sql: string): void {
  const db = new Database(file);
  db.exec(sql);
  db.close();
}

describe.each(TABLES)('Without the table %s', (table) => {
  it.each([drop, rename, replace])(
    'a store is not opened, and no loss is accepted',
    async (alter) => {
      const file = await closedStore();
      execute(file, alter(table));
      const before = readFileSync(file);
      const expected = expect.objectContaining({
        name: 'UserError',
        message: expect.stringMatching(
          /^\/.*\.db cannot be (opened|used): .*\. The schema of the store was altered: undo that, or restore a backup\.$/,
        ),
      });
      expect(() => openSqliteForCommandLine(file)).toThrow(expected);
      await expect(openSqliteStore(file, { lost() {}, impaired() {} })).rejects.toThrow(expected);
      await expect(acceptLossInSqlite(file)).rejects.toThrow(
        /The schema of the store was altered|there is no loss to accept/,
      );
      expect(readFileSync(file).equals(before)).toBe(true);
    },
  );
});

describe('While a store is served, a table that is renamed', () => {
  it('makes it unavailable, until it has its name again', async () => {
    const file = await closedStore();
    const store = await openSqliteStore(file, { lost() {}, impaired() {} });
    onTestFinished(() => store.close());
    execute(file, 'ALTER TABLE api_keys RENAME TO other');
    await expect(store.keys.find('some')).rejects.toThrow(StoreUnavailable);
    execute(file, 'ALTER TABLE other RENAME TO api_keys');
    await expect(store.keys.find('some')).resolves.toBeUndefined();
  });
});
