import { Database } from '../../../src/infra/postgres/database.ts';
import { PostgresEventLog } from '../../../src/infra/postgres/postgres-event-log.ts';
import { factsOfPostgres } from '../../../src/infra/postgres/postgres-facts.ts';
import { factSourceContract } from '../../contract/fact-source.ts';
import { newDatabase } from '../../support/postgres/databases.ts';
import { sql } from '../../support/postgres/sql.ts';

factSourceContract('PostgreSQL', async () => {
  const url = await newDatabase();
  const log = new PostgresEventLog(new Database(url));
  const db = new Database(url);
  return {
    log,
    facts: factsOfPostgres(db),
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
