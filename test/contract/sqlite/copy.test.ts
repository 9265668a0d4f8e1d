import { existsSync, readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { openSqliteCopy } from '../../../src/infra/sqlite/copy.ts';
import { openDatabase } from '../../../src/infra/sqlite/database.ts';
import { storeIdOf } from '../../../src/infra/sqlite/epochs-table.ts';
import { temporaryFile } from '../../support/folder.ts';

const ID = '0123456789abcdef';

it.each<[string, (unfinished: string) => void]>([
  ['that has no tables yet', (file) => void new Database(file).close()],
  ['that has an id of its own', (file) => openDatabase(file, () => {}).close()],
])('a copy is begun anew where one was interrupted %s', async (_, leave) => {
  const file = temporaryFile();
  leave(`${file}-copying-new`);
  const copy = openSqliteCopy(file, ID);
  await copy.close();
  expect(readdirSync(dirname(file)).filter((name) => name.includes('-new'))).toStrictEqual([]);
  const made = new Database(`${file}-copying`);
  expect(storeIdOf(made)).toBe(ID);
  made.close();
  expect(existsSync(file)).toBe(false);
});
