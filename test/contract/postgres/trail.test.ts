import { Database } from '../../../src/infra/postgres/connection/database.ts';
import { PostgresEventLog } from '../../../src/infra/postgres/event-log.ts';
import { partsOf } from '../../../src/infra/postgres/parts.ts';
import { newDatabase, POSTGRES_VERSIONS } from '../../support/postgres/databases.ts';
import { trailContract } from '../trail.ts';

for (const version of POSTGRES_VERSIONS) {
  trailContract(`PostgreSQL ${version}`, async () => {
    const url = await newDatabase(version);
    const open = () => {
      const db = new Database(url);
      return { db, log: new PostgresEventLog(db) };
    };
    const { db, log } = open();
    return { ...partsOf(db, log), log, openBeside: async () => open().log };
  });
}
