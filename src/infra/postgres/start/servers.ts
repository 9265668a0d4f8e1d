import { UserError } from '../../../app/lifecycle/user-error.ts';
import type { Queryable, Statement } from '../connection/connection.ts';
import { SERVER_NAME } from '../connection/database.ts';

const SERVERS: Statement = {
  name: 'servers',
  text: `SELECT count(*) FROM pg_stat_activity
           WHERE datname = current_database() AND application_name = '${SERVER_NAME}'`,
};

/** Throws {@link UserError} while instances run on the store. */
export async function refuseWhileServed(db: Queryable): Promise<void> {
  const [[servers] = [0]] = await db.query<[number]>(SERVERS);
  if (servers === 0) return;
  throw new UserError('Instances are running on the store. Stop all of them first.');
}
