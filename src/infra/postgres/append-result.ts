/**
 * The result of an append, from the answer of the server; without one, from a search of the log.
 */

import { setTimeout } from 'node:timers/promises';
import type { Histogram } from '../../app/histogram.ts';
import { highestIdIn, recordOf, type StoredFields } from '../../app/log/recorded-event.ts';
import type { AppendResult } from '../../app/ports/event-log.ts';
import { DamagedStore } from '../../app/ports/store.ts';
import { BEGIN, type Change } from './batch.ts';
import { type Connection, inOrder } from './connection/connection.ts';
import type { Database } from './connection/database.ts';
import { isRefusal, isTaken } from './connection/errors.ts';
import { waitEnded } from './connection/standbys.ts';
import { readKept } from './kept-outcomes-table.ts';
import { type KnownHead, OtherLog } from './known-head.ts';
import { MerkleTables } from './merkle-tables.ts';
import type { Notifier } from './notifier.ts';
import { readStored } from './stored-events.ts';

/** The interval between searches, in milliseconds. */
const RETRY_INTERVAL_MS = 50;

/**
 * The beginning of a search. A short lock timeout keeps searches from occupying all connections.
 */
const BEGIN_SEARCH = `${BEGIN}; SET LOCAL lock_timeout = 400`;

/** The parts of the log that both append protocols use. */
export interface Appending {
  readonly db: Database;
  readonly known: KnownHead;
  readonly notifier: Notifier;
  /** Counts the waits for the log's lock, in seconds. */
  readonly lockWaits: Histogram;
  /** Does work, and reports damage of the log if that throws {@link DamagedStore}. */
  readonly reporting: <Result>(work: () => Promise<Result>) => Promise<Result>;
  /** Called when the server has refused to record a change to a log that is whole. */
  readonly refused: (cause: Error) => void;
  /** Called when a change was recorded. */
  readonly recorded: () => void;
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
    if (warning === undefined) return appended(appending, change);
    // The server has stopped waiting for a standby: a failover may take back what is visible now.
    appending.db.standbys.unconfirmed(waitEnded(warning));
    return { kind: 'unknown', cause: warning };
  }
  if (change.isNothing || isRefusal(error)) {
    // A refused row may be due to rows at the end of the log that are not part of it, or beside it.
    const check = async () => {
      await new MerkleTables(appending.db).requireWhole();
      if (isTaken(error)) throw new DamagedStore(`the database: ${error.message}`);
    };
    const checked = appending.reporting(check).then(
      () => (change.isNothing ? undefined : appending.refused(error)),
      () => undefined,
    );
    // The impairment that it shows is named in the answer, too.
    if (isRefusal(error)) await checked;
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
  { notifier, known, recorded }: Appending,
  { edge, events, notifies, isNothing }: Change,
): AppendResult {
  if (!isNothing) {
    notifier.written(notifies);
    recorded();
  }
  known.note(edge, edge, highestIdIn(events));
  return { kind: 'appended', events };
}

export function failureIn(result: PromiseSettledResult<unknown>): Error | undefined {
  return result.status === 'rejected' ? (result.reason as Error) : undefined;
}

type Verdict = 'recorded' | 'not recorded' | 'unknown';

/**
 * Returns the outcome of a change whose commit was not answered. If it was sent under the lock, its
 * transaction has ended once the lock can be taken, and the outcome is certain. If it was sent
 * without a lock, it may still arrive later, as long as the log has the edge that it follows.
 */
async function findLostCommit(
  db: Database,
  change: Change,
  wasLocked: boolean,
  maxSearchMs: number,
): Promise<Verdict> {
  const ended = new AbortController();
  const { signal } = ended;
  const verdict = await Promise.race([
    search(db, change, wasLocked, signal),
    // A search may wait for the lock longer than a client waits for its answer.
    setTimeout(maxSearchMs, 'unknown' as const, { signal }),
  ]);
  ended.abort();
  return verdict;
}

/** Repeats the search until it succeeds, is aborted, or the database is out of reach. */
async function search(
  db: Database,
  change: Change,
  wasLocked: boolean,
  signal: AbortSignal,
): Promise<Verdict> {
  while (!signal.aborted && !db.isSilent) {
    try {
      return await find(db, change, wasLocked);
    } catch (error) {
      if (error instanceof OtherLog) break;
    }
    await setTimeout(RETRY_INTERVAL_MS);
  }
  return 'unknown';
}

/** Searches the log for a change, once. Its commit, after a lock, also waits for standbys. */
async function find(
  db: Database,
  { stored, kept, follows }: Change,
  wasLocked: boolean,
): Promise<Verdict> {
  const connection = await db.connect();
  try {
    const first = stored[0]?.position ?? 1;
    const [, edge, there, outcomes] = await inOrder(
      connection.run(BEGIN_SEARCH),
      new MerkleTables(connection).lockedEdge(),
      readStored(connection, first - 1, stored.length),
      readKept(connection, kept.added),
    );
    await connection.commit();
    const isThere =
      stored.every((event, index) => isSameEvent(event, there[index])) &&
      kept.added.every(({ by, key }) => outcomes.recall(by, key) !== undefined);
    if (isThere) return 'recorded';
    return wasLocked || !edge.equals(follows) ? 'not recorded' : 'unknown';
  } catch (error) {
    if (isRefusal(error)) await connection.rollBack();
    else connection.release(error as Error);
    throw error;
  } finally {
    connection.release();
  }
}

function isSameEvent(event: StoredFields, there: StoredFields | undefined): boolean {
  return there !== undefined && recordOf(there) === recordOf(event);
}
