import { Database } from '../../../src/infra/postgres/connection/database.ts';
import { PostgresEventLog } from '../../../src/infra/postgres/event-log.ts';
import { PostgresTrail } from '../../../src/infra/postgres/trail.ts';
import { newDatabase } from '../../support/postgres/databases.ts';
import { trailContract } from '../trail.ts';

for (const version of [15, 18] as const) {
  trailContract(`PostgreSQL ${version}`, async () => {
    const db = new Database(await newDatabase(version));
    return { log: new PostgresEventLog(db), trail: new PostgresTrail(db) };
  });
}
