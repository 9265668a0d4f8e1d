import { Database } from '../../../src/infra/postgres/connection/database.ts';
import { PostgresEventLog } from '../../../src/infra/postgres/event-log.ts';
import { PostgresKeyStore } from '../../../src/infra/postgres/key-store.ts';
import { PostgresSigningKeys } from '../../../src/infra/postgres/signing-keys.ts';
import { checkPostgresStore } from '../../../src/infra/postgres/store-check.ts';
import { newDatabase } from '../../support/postgres/databases.ts';
import { tamper } from '../../support/postgres/sql.ts';
import { changedRowContract } from '../changed-rows.ts';

changedRowContract('PostgreSQL', async () => {
  const url = await newDatabase();
  const db = new Database(url);
  return {
    openLog: async (damaged) => new PostgresEventLog(db, { damaged }),
    openKeys: async () => new PostgresKeyStore(db),
    openSigningKeys: async () => new PostgresSigningKeys(db),
    // Names are JSON texts there.
    change: (change) => tamper(url, change.replace('somebody else', '"somebody else"')),
    bytes: (digits) => `'\\x${digits}'`,
    check: () => checkPostgresStore(url, async () => {}),
  };
});
