import { Database } from '../../../src/infra/postgres/connection/database.ts';
import { PostgresEventLog } from '../../../src/infra/postgres/event-log.ts';
import { foldSourceIn } from '../../../src/infra/postgres/stored-events.ts';
import { newDatabase } from '../../support/postgres/databases.ts';
import { sql } from '../../support/postgres/sql.ts';
import { foldSourceContract } from '../fold-source.ts';

foldSourceContract('PostgreSQL', async () => {
  const url = await newDatabase();
  const log = new PostgresEventLog(new Database(url));
  const db = new Database(url);
  return {
    log,
    foldSource: foldSourceIn(db),
    async tamper(statement) {
      await sql(
        url,
        `ALTER TABLE store_orders.events DISABLE TRIGGER ALL;
         ${statement('store_orders.events')};`,
      );
    },
    async close() {
      await log.close();
      await db.close();
    },
  };
});
