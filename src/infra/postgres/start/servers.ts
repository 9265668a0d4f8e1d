/** The guards of commands that need a store for themselves, against services that run on it. */

import { UserError } from '../../../app/lifecycle/user-error.ts';
import type { Connection, Queryable, Statement } from '../connection/connection.ts';
import { type Database, SERVER_NAME } from '../connection/database.ts';
import { COPY_LOCK, SERVING_LOCK } from '../schema.ts';

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
const HOLD_COPY_LOCK: Statement = {
  name: 'hold_copy_lock',
  text: `SELECT pg_try_advisory_lock(${COPY_LOCK})`,
};
const RELEASE_COPY_LOCK: Statement = {
  name: 'release_copy_lock',
  text: `SELECT pg_advisory_unlock(${COPY_LOCK})`,
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

/**
 * Locks a database for one copy, from it or into it. Returns a function that releases the lock. Throws
 * {@link UserError} if another process holds it.
 */
export async function lockForCopy(db: Database): Promise<() => Promise<void>> {
  const connection = await db.connect();
  try {
    const [[isLocked] = [false]] = await connection.query<[boolean]>(HOLD_COPY_LOCK);
    if (isLocked) return () => unlock(connection);
    throw new UserError(
      'Another `store-orders migrate-store` is using the database. Let it finish first.',
    );
  } catch (error) {
    connection.release(error as Error);
    throw error;
  }
}

// The end of the session would release it, but only after the next command may have asked for it.
async function unlock(connection: Connection): Promise<void> {
  try {
    await connection.query(RELEASE_COPY_LOCK);
    connection.release();
  } catch (error) {
    connection.release(error as Error);
  }
}

function served(): UserError {
  return new UserError('Instances are running on the store. Stop all of them first.');
}
