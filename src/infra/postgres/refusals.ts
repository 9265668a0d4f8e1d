import type {
  RecordedRefusal,
  RefusalRecord,
  RefusalTrail,
} from '../../app/ports/refusal-trail.ts';
import { decodeRefusal, encodeRefusal } from '../events/refusal-codec.ts';
import { texts } from './arrays.ts';
import { inOrder, type Statement } from './connection/connection.ts';
import type { Database } from './connection/database.ts';
import { REFUSALS_LOCK } from './schema.ts';

const APPEND: Statement = {
  name: 'append_refusals',
  text: `INSERT INTO store_orders.refusals
           SELECT head + row, record
             FROM (SELECT coalesce(max(position), 0) AS head FROM store_orders.refusals) AS last,
                  unnest($1::text[]) WITH ORDINALITY AS records (record, row)`,
};
const TRIM: Statement = {
  name: 'trim_refusals',
  text: `DELETE FROM store_orders.refusals WHERE position <=
           (SELECT max(position) FROM store_orders.refusals) - store_orders.kept_refusals()`,
};
const NEWEST: Statement = {
  name: 'newest_refusals',
  text: 'SELECT position, record FROM store_orders.refusals ORDER BY position DESC LIMIT $1',
};

/** The trail of refusals in PostgreSQL, one for all instances. */
export class PostgresRefusals implements RefusalTrail {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  // Under a lock of its own, so that it never delays an append to the log; and without waiting for
  // the disk.
  async append(records: readonly RefusalRecord[]): Promise<void> {
    await this.#db.use((connection) =>
      inOrder(
        connection.run(
          `BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE;
           SET LOCAL synchronous_commit = off;
           SELECT pg_advisory_xact_lock(${REFUSALS_LOCK})`,
        ),
        connection.query(APPEND, [texts(records.map(encodeRefusal))]),
        connection.query(TRIM),
        connection.run('COMMIT'),
      ),
    );
  }

  async newest(limit: number): Promise<readonly RecordedRefusal[]> {
    const rows = await this.#db.query<[number, string]>(NEWEST, [limit]);
    return rows
      .reverse()
      .map(([position, text]) => ({ position, record: decodeRefusal(position, text) }));
  }
}
