/** The settings of a new session, and the checks of its server. */

import pg from 'pg';
import { CannotStart } from '../../../app/lifecycle/cannot-start.ts';
import { Standby } from './route.ts';

/** PostgreSQL 15: older ones lack what the schema and the roles are made of. */
const OLDEST_SERVER = 150_000;

/** The limit of a statement's wait for the log's lock, in milliseconds. */
const LOCK_TIMEOUT_MS = 3_000;

/**
 * The settings of every session, whatever the defaults of the server, the database and the role
 * are. A session that holds a lock and is not heard of any more must not keep it: the server ends
 * it. Names without a schema are PostgreSQL's own, in the triggers too.
 */
const SETTINGS = `
  SET lock_timeout = ${LOCK_TIMEOUT_MS};
  SET idle_in_transaction_session_timeout = 5000;
  SET tcp_keepalives_idle = 5;
  SET tcp_keepalives_interval = 2;
  SET tcp_keepalives_count = 3;
  SET default_transaction_isolation = 'read committed';
  SET default_transaction_read_only = off;
  SET client_min_messages = warning;
  SET search_path = pg_catalog;
  SELECT set_config('synchronous_commit', 'on', false)
    WHERE current_setting('synchronous_commit') NOT IN ('on', 'remote_apply');
`;

const CHECK = `
  SELECT current_setting('server_version_num')::integer AS version,
         pg_is_in_recovery() AS "isStandby",
         current_setting('fsync') AS fsync,
         current_setting('synchronous_commit') AS "synchronousCommit"
`;

/**
 * A commit of nothing, which waits for a synchronous standby like any other, and so for all that
 * was committed before it. A server that was killed shows, once it is up again, what it has on its
 * own disk, whether or not its standby ever got it; and a failover could still take that back.
 */
const BARRIER = `SELECT pg_logical_emit_message(true, 'store_orders', '')`;

/** A commit is not confirmed in time: a synchronous standby may not answer. */
export class Unconfirmed extends Error {
  constructor(cause: Error) {
    super(`no commit is confirmed (${cause.message}): does a synchronous standby not answer?`, {
      cause,
    });
  }
}

/** Throws {@link Unconfirmed} where commits are not confirmed in time, or only with a warning. */
export async function waitForStandbys(run: (text: string) => Promise<unknown>): Promise<void> {
  try {
    await run(BARRIER);
  } catch (error) {
    if (error instanceof pg.DatabaseError || !/timeout/.test((error as Error).message)) throw error;
    throw new Unconfirmed(error as Error);
  }
}

interface Checked {
  readonly version: number;
  readonly isStandby: boolean;
  readonly fsync: string;
  readonly synchronousCommit: string;
}

/**
 * Makes a new session one of this program's. Throws where the server cannot be used.
 * @param statementMs How long a statement may take, in milliseconds: the server ends it then.
 */
export async function prepareSession(client: pg.ClientBase, statementMs: number): Promise<void> {
  const settings = `SET statement_timeout = ${Math.ceil(statementMs)}; ${SETTINGS}`;
  const [, { rows }] = await Promise.all([client.query(settings), client.query<Checked>(CHECK)]);
  checkServer(rows[0] as Checked);
}

function checkServer({ version, isStandby, fsync, synchronousCommit }: Checked): void {
  if (version < OLDEST_SERVER) {
    const major = Math.floor(version / 10_000);
    throw new CannotStart(`PostgreSQL ${major} is too old: 15 or later is needed.`);
  }
  if (fsync !== 'on' || !['on', 'remote_apply'].includes(synchronousCommit)) {
    const settings = `fsync=${fsync}, synchronous_commit=${synchronousCommit}`;
    throw new CannotStart(`PostgreSQL refuses durability: ${settings}.`);
  }
  // Not one that must not be served at all: after a failover it may be the one to use.
  if (isStandby) throw new Standby();
}
