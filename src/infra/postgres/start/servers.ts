/** The guards of commands that need a store for themselves, against services that run on it. */

import { UserError } from '../../../app/lifecycle/user-error.ts';
import type { Queryable, Statement } from '../connection/connection.ts';
import { SERVER_NAME } from '../connection/database.ts';
import { SERVING_LOCK } from '../schema.ts';

/** The sessions of running services. Those of earlier versions hold no lock, and one has the name. */
const SERVERS: Statement = {
  name: 'servers',
  text: `SELECT (SELECT count(*) FROM pg_locks
                  WHERE locktype = 'advisory' AND mode = 'ShareLock' AND objsubid = 1
                    AND classid = 0 AND objid = ${SERVING_LOCK}
                    AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))
              + (SELECT count(*) FROM pg_stat_activity
                  WHERE datname = current_database() AND application_name = '${SERVER_NAME}')`,
};
const FENCE: Statement = {
  name: 'fence',
  text: `SELECT pg_try_advisory_xact_lock(${SERVING_LOCK})`,
};

/** Throws {@link UserError} while instances run on the store. */
export async function refuseWhileServed(db: Queryable): Promise<void> {
  const [[servers] = [0]] = await db.query<[number]>(SERVERS);
  if (servers > 0) throw served();
}

/**
 * Throws {@link UserError} while instances run on the store. Until the transaction ends, no session of
 * a service is opened: one that has lost all of its sessions compares the log behind that.
 */
export async function fenceOffServers(transaction: Queryable): Promise<void> {
  await refuseWhileServed(transaction);
  const [[isFenced] = [false]] = await transaction.query<[boolean]>(FENCE);
  if (!isFenced) throw served();
}

function served(): UserError {
  return new UserError('Instances are running on the store. Stop all of them first.');
}
