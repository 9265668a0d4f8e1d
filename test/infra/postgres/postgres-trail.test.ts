import { Database } from '../../../src/infra/postgres/database.ts';
import { PostgresEventLog } from '../../../src/infra/postgres/postgres-event-log.ts';
import { PostgresTrail } from '../../../src/infra/postgres/postgres-trail.ts';
import { trailContract } from '../../contract/trail.ts';
import { newDatabase } from '../../support/postgres/databases.ts';

for (const version of [15, 18] as const) {
  trailContract(`PostgreSQL ${version}`, async () => {
    const db = new Database(await newDatabase(version));
    return { log: new PostgresEventLog(db), trail: new PostgresTrail(db) };
  });
}
