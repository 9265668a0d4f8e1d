import { onTestFinished } from 'vitest';
import { Database } from '../../../src/infra/postgres/connection/database.ts';
import { PostgresSigningKeys } from '../../../src/infra/postgres/signing-keys.ts';
import { newDatabase, POSTGRES_VERSIONS } from '../../support/postgres/databases.ts';
import { signingKeysContract } from '../signing-keys.ts';

for (const version of POSTGRES_VERSIONS) {
  signingKeysContract(`PostgreSQL ${version}`, async () => {
    const url = await newDatabase(version);
    return async () => {
      const db = new Database(url);
      onTestFinished(() => db.close());
      return new PostgresSigningKeys(db);
    };
  });
}
