import { onTestFinished } from 'vitest';
import { openDatabase } from '../../../src/infra/sqlite/database.ts';
import { SqliteSigningKeys } from '../../../src/infra/sqlite/sqlite-signing-keys.ts';
import { signingKeysContract } from '../../contract/signing-keys.ts';
import { temporaryFile } from '../../support/folder.ts';

signingKeysContract('SQLite', async () => {
  const file = temporaryFile();
  return async () => {
    const db = openDatabase(file);
    onTestFinished(() => void db.close());
    return new SqliteSigningKeys(db);
  };
});
