/** The settings of a new session, and the checks of its server. */

import type pg from 'pg';
import { UserError } from '../../../app/lifecycle/user-error.ts';
import { SERVING_LOCK } from '../schema.ts';
import { Standby } from './route.ts';

/** PostgreSQL 15: earlier versions lack features that the schema and the roles use. */
const OLDEST_SERVER = 150_000;

/** The longest wait of a statement for the log's lock, in milliseconds. */
const LOCK_TIMEOUT_MS = 3_000;

/**
 * The settings of every session, which override the defaults of server, database and role. The
 * keepalives and the idle timeout let the server end the session of a vanished client, which may
 * hold a lock; no other timeout ends a session that waits for its next batch, or a long read. With
 * this search path, names without a schema are PostgreSQL's own, also in triggers; with identifiers
 * quoted only where they must be, a trigger's definition is read as it was written.
 */
const SETTINGS = `
  SET lock_timeout = ${LOCK_TIMEOUT_MS};
  SET idle_in_transaction_session_timeout = 5000;
  SET idle_session_timeout = 0;
  SET tcp_keepalives_idle = 5;
  SET tcp_keepalives_interval = 2;
  SET tcp_keepalives_count = 3;
  SET default_transaction_isolation = 'read committed';
  SET default_transaction_read_only = off;
  SET client_min_messages = warning;
  SET search_path = pg_catalog;
  SET quote_all_identifiers = off;
  -- Set even if it is right, so that a reload of the server's configuration does not change it.
  SELECT set_config('synchronous_commit',
                    CASE current_setting('synchronous_commit')
                      WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END, false);
  -- Since PostgreSQL 17.
  SELECT set_config('transaction_timeout', '0', false)
    WHERE current_setting('transaction_timeout', true) IS NOT NULL;
`;

const CHECK = `
  SELECT current_setting('server_version_num')::integer AS version,
         pg_is_in_recovery() AS "isStandby",
         current_setting('fsync') AS fsync,
         current_setting('synchronous_commit') AS "synchronousCommit"
`;

/** Thrown if the server would acknowledge commits that a power cut can undo. */
export class NotDurable extends UserError {
  constructor(settings: string) {
    super(`PostgreSQL refuses durability: ${settings}.`);
  }
}

interface Checked {
  readonly version: number;
  readonly isStandby: boolean;
  readonly fsync: string;
  readonly synchronousCommit: string;
}

/** The settings of a session that depend on its use. */
export interface SessionUse {
  /** The time after which the server cancels a statement, in milliseconds. */
  readonly statementMs: number;
  /** True for a running service: the session then holds {@link SERVING_LOCK} until it ends. */
  readonly isServing: boolean;
}

/** Holds the lock of running services. A session that holds it already counts it once more. */
export const HOLD_SERVING_LOCK = `SELECT pg_advisory_lock_shared(${SERVING_LOCK})`;

/** Applies the settings of every session, and enters it among those of running services if it is one. */
export async function applySettings(
  client: pg.ClientBase,
  { statementMs, isServing }: SessionUse,
): Promise<void> {
  const settings = `SET statement_timeout = ${Math.ceil(statementMs)}; ${SETTINGS}`;
  await client.query(isServing ? `${settings}; ${HOLD_SERVING_LOCK}` : settings);
}

/** Applies the settings of a new session, and checks its server. Throws if it cannot be used. */
export async function prepareSession(client: pg.ClientBase, use: SessionUse): Promise<void> {
  const [, { rows }] = await Promise.all([
    applySettings(client, use),
    client.query<Checked>(CHECK),
  ]);
  checkServer(rows[0] as Checked);
}

function checkServer({ version, isStandby, fsync, synchronousCommit }: Checked): void {
  if (version < OLDEST_SERVER) {
    const major = Math.floor(version / 10_000);
    throw new UserError(`PostgreSQL ${major} is too old: 15 or later is needed.`);
  }
  if (fsync !== 'on' || !['on', 'remote_apply'].includes(synchronousCommit)) {
    const settings = `fsync=${fsync}, synchronous_commit=${synchronousCommit}`;
    throw new NotDurable(settings);
  }
  // Not UserError: after a failover, the standby may be the primary.
  if (isStandby) throw new Standby();
}
