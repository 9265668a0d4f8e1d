import { onTestFinished } from 'vitest';
import { openDatabase } from '../../../src/infra/sqlite/database.ts';
import { SqliteSigningKeys } from '../../../src/infra/sqlite/signing-keys.ts';
import { temporaryFile } from '../../support/folder.ts';
import { signingKeysContract } from '../signing-keys.ts';

signingKeysContract('SQLite', async () => {
  const file = temporaryFile();
  return async () => {
    const db = openDatabase(file);
    onTestFinished(() => void db.close());
    return new SqliteSigningKeys(db);
  };
});
