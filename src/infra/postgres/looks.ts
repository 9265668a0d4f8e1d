/** The repeated looks at a database that is served: they find out if requests can be answered. */

import { CLOCKS } from '../../app/clock.ts';
import { isDamage, type StoreWatcher } from '../../app/ports/store.ts';
import { Readability } from '../checking/readability.ts';
import type { Queryable, Statement } from './connection/connection.ts';
import { isRefusedForNow, isRefusedRead } from './connection/errors.ts';
import { missingRights } from './start/checks.ts';

/** The interval of the looks beside the head, in milliseconds. After a failure, none is left out. */
const LOOK_INTERVAL_MS = 3_000;

/** The looks that have to fail in succession for a reason that may pass, such as a lock. */
const MIN_FAILURES = 2;

/**
 * Reads no row of the tables that requests need. It fails if a table or a right is missing, or if
 * another session has locked a table. The head is read from `events` and `tree`.
 */
const TABLES: Statement = {
  name: 'tables',
  text: `SELECT FROM store_orders.api_keys, store_orders.key_changes, store_orders.kept_outcomes,
                     store_orders.tree_nodes, store_orders.event_traces, store_orders.epochs,
                     store_orders.store
           WHERE false`,
};

type Reports = Pick<StoreWatcher, 'impaired' | 'mended'>;

/**
 * Returns a function to call after each look, with its error if it failed. It reports that the store
 * cannot be read, and that it can again. An outage is reported by others.
 */
export function readabilityOf(watcher: Reports): (error: Error | undefined) => void {
  const readability = new Readability(watcher);
  let failures = 0;
  return (error) => {
    failures = error !== undefined && isRefusedForNow(error) ? failures + 1 : 0;
    if (error === undefined || isDamage(error) || isRefusedRead(error) || failures >= MIN_FAILURES)
      readability.note(error);
  };
}

/**
 * Returns a function that looks at the tables and at the rights of the user, but not more often than
 * each {@link LOOK_INTERVAL_MS}. It reports missing rights, and throws if a table cannot be read.
 */
export function lookBesideHead(db: Queryable, watcher: Reports): () => Promise<void> {
  let dueMs = 0;
  let hasRights = true;
  return async () => {
    if (CLOCKS.elapsed() < dueMs) return;
    const [missing] = await missingRights(db);
    if (missing !== undefined) watcher.impaired('rights_missing', new Error(missing));
    else if (!hasRights) watcher.mended('rights_missing');
    hasRights = missing === undefined;
    await db.query(TABLES);
    if (hasRights) dueMs = CLOCKS.elapsed() + LOOK_INTERVAL_MS;
  };
}

/**
 * Returns a function to call after each look that succeeds, with the reason if there are no
 * notifications of other instances. It logs that, and that they are back.
 */
export function hearingOf(
  watcher: Pick<StoreWatcher, 'noticed'>,
): (cause: Error | undefined) => void {
  let isHearing = true;
  return (cause) => {
    if (isHearing === (cause === undefined)) return;
    isHearing = cause === undefined;
    const message = isHearing
      ? 'notifications of the database are received again'
      : 'notifications of the database are not received: the log is read more often';
    watcher.noticed(message, { cause: cause?.message });
  };
}
