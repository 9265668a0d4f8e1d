import { Database } from '../../../src/infra/postgres/connection/database.ts';
import { PostgresEventLog } from '../../../src/infra/postgres/event-log.ts';
import { newDatabase } from '../../support/postgres/databases.ts';
import { eventLogContract } from '../event-log.ts';

for (const version of [15, 18] as const) {
  eventLogContract(`PostgreSQL ${version}`, async () => {
    const url = await newDatabase(version);
    return async () => new PostgresEventLog(new Database(url));
  });
}
