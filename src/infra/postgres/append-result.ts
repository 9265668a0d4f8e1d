/** The result of an append, derived from the answer of the server or from its absence. */

import { highestIdIn } from '../../app/log/recorded-event.ts';
import type { AppendResult } from '../../app/ports/event-log.ts';
import type { Change } from './batch.ts';
import type { Connection } from './connection/connection.ts';
import type { Database } from './connection/database.ts';
import { isRefusal } from './connection/errors.ts';
import type { KnownHead } from './known-head.ts';
import { findLostCommit } from './lost-commit.ts';
import { MerkleTables } from './merkle-tables.ts';
import type { Notifier } from './notifier.ts';

/** The parts of the log that both append protocols use. */
export interface Appending {
  readonly db: Database;
  readonly known: KnownHead;
  readonly notifier: Notifier;
  /** Does work, and reports damage of the log if that throws {@link DamagedStore}. */
  readonly reporting: <Result>(work: () => Promise<Result>) => Promise<Result>;
  /** The limit of the search for a commit whose answer was lost, in milliseconds. */
  readonly maxSearchMs: number;
}

/**
 * Returns the result of a change that was sent. Closes its connection after an error or a warning.
 * @param wasLocked True if the change was sent under the lock of its own transaction.
 * @param error The failure; undefined if the server has answered with success.
 */
export async function resultOf(
  appending: Appending,
  connection: Connection,
  change: Change,
  wasLocked: boolean,
  error: Error | undefined,
): Promise<AppendResult> {
  const [warning] = connection.warnings;
  const trouble = error ?? warning;
  if (trouble !== undefined) connection.release(trouble);
  if (error === undefined) {
    // The server has stopped waiting for a standby: the commit may be lost in a failover.
    if (warning !== undefined) return { kind: 'unknown', cause: warning };
    return appended(appending, change);
  }
  if (change.isNothing || isRefusal(error)) {
    // A refused row may be due to rows at the end of the log that are not part of it.
    const check = () => new MerkleTables(appending.db).requireWhole();
    void appending.reporting(check).catch(() => undefined);
    return { kind: 'unavailable', cause: error };
  }
  switch (await findLostCommit(appending.db, change, wasLocked, appending.maxSearchMs)) {
    case 'recorded':
      return appended(appending, change);
    case 'not recorded':
      return { kind: 'unavailable', cause: error };
    case 'unknown':
      return { kind: 'unknown', cause: error };
  }
}

function appended(
  { notifier, known }: Appending,
  { edge, events, notifies, isNothing }: Change,
): AppendResult {
  if (!isNothing) notifier.written(notifies);
  known.note(edge, edge, highestIdIn(events));
  return { kind: 'appended', events };
}

export function failureIn(result: PromiseSettledResult<unknown>): Error | undefined {
  return result.status === 'rejected' ? (result.reason as Error) : undefined;
}
