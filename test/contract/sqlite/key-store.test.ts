import { onTestFinished } from 'vitest';
import { openDatabase } from '../../../src/infra/sqlite/database.ts';
import { SqliteKeyStore } from '../../../src/infra/sqlite/key-store.ts';
import { temporaryFile } from '../../support/folder.ts';
import { keyStoreContract } from '../key-store.ts';

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
