import { Database } from '../../../src/infra/postgres/connection/database.ts';
import { PostgresEventLog } from '../../../src/infra/postgres/event-log.ts';
import { openPostgresEvidence } from '../../../src/infra/postgres/evidence.ts';
import { openPostgresForCommandLine } from '../../../src/infra/postgres/store.ts';
import { PostgresTrail } from '../../../src/infra/postgres/trail.ts';
import { newDatabase, POSTGRES_VERSIONS } from '../../support/postgres/databases.ts';
import { sql, tamper } from '../../support/postgres/sql.ts';
import { wholeLogContract } from '../whole-log.ts';

for (const version of POSTGRES_VERSIONS) {
  wholeLogContract(`PostgreSQL ${version}`, async () => {
    const url = await newDatabase(version);
    return {
      async openLog(damaged) {
        const db = new Database(url);
        const log = new PostgresEventLog(db, { damaged });
        return { log, trail: new PostgresTrail(db, log) };
      },
      open: async () => (await openPostgresForCommandLine(url)).close(),
      openEvidence: () => openPostgresEvidence(url),
      execute: async (text) => void (await sql(url, `SET search_path = store_orders; ${text}`)),
      removal: (position) => `SET session_replication_role = replica;
        DELETE FROM events WHERE position = ${position}`,
      tamper: (statements) => tamper(url, statements),
      literal: (bytes) => `'\\x${bytes.toString('hex')}'`,
    };
  });
}
