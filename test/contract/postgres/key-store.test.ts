import { onTestFinished } from 'vitest';
import { Database } from '../../../src/infra/postgres/connection/database.ts';
import { PostgresKeyStore } from '../../../src/infra/postgres/key-store.ts';
import { newDatabase, POSTGRES_VERSIONS } from '../../support/postgres/databases.ts';
import { keyStoreContract } from '../key-store.ts';

for (const version of POSTGRES_VERSIONS) {
  keyStoreContract(`PostgreSQL ${version}`, async () => {
    const url = await newDatabase(version);
    return async () => {
      const db = new Database(url);
      onTestFinished(() => db.close());
      return new PostgresKeyStore(db);
    };
  });
}
