import { onTestFinished } from 'vitest';
import { openDatabase } from '../../../src/infra/sqlite/database.ts';
import { SqliteKeyStore } from '../../../src/infra/sqlite/sqlite-key-store.ts';
import { keyStoreContract } from '../../contract/key-store.ts';
import { temporaryFile } from '../../support/folder.ts';

keyStoreContract('SQLite', async () => {
  const file = temporaryFile();
  return async () => {
    const db = openDatabase(file);
    onTestFinished(() => {
      db.close();
    });
    return new SqliteKeyStore(db);
  };
});
