import { openPostgresCopy, openPostgresOriginal } from '../../src/infra/postgres/copy.ts';
import { openPostgresForCommandLine } from '../../src/infra/postgres/store.ts';
import { openSqliteCopy, openSqliteOriginal } from '../../src/infra/sqlite/copy.ts';
import { openSqliteForCommandLine } from '../../src/infra/sqlite/store.ts';
import type { CopyPlace } from '../contract/store-copy.ts';
import { temporaryFile } from './folder.ts';
import { newDatabase } from './postgres/databases.ts';

/** Returns the name of a file that does not exist yet. */
export async function sqlitePlace(file = temporaryFile()): Promise<CopyPlace> {
  return {
    open: async () => openSqliteForCommandLine(file),
    openOriginal: async () => openSqliteOriginal(file),
    openCopy: async (id) => openSqliteCopy(file, id),
  };
}

/** Creates a database, empty or with an empty store. */
export async function postgresPlace(template?: 'template1'): Promise<CopyPlace> {
  const url = await newDatabase(18, template);
  return {
    open: () => openPostgresForCommandLine(url),
    openOriginal: () => openPostgresOriginal(url),
    openCopy: (id) => openPostgresCopy(url, id),
  };
}
