import { setTimeout } from 'node:timers/promises';
import { recordOf } from '../../app/audit/record.ts';
import type { StoredEvent } from '../event-codec.ts';
import { BEGIN, type Change } from './batch.ts';
import { type Database, isRefusal } from './database.ts';
import { readKept } from './kept-outcomes-table.ts';
import { OtherLog } from './known-head.ts';
import { MerkleTables } from './merkle-tables.ts';
import { readStored } from './stored-events.ts';

/** How long to wait between two looks, in milliseconds. */
const LOOK_AGAIN = 50;

/** Whoever has the lock may have it for long, and looks must not take all connections meanwhile. */
const BEGIN_LOOK = `${BEGIN}; SET LOCAL lock_timeout = 400`;

type Verdict = 'recorded' | 'not recorded' | 'unknown';

/**
 * Finds out what became of a change whose commit was not answered. Whoever has the lock can tell what
 * was sent behind the lock: the transaction that had it before has ended, one way or the other. What
 * was sent without it may arrive after any look, as long as there is room for it.
 * @param within For how long to look, in milliseconds.
 */
export async function settle(
  db: Database,
  change: Change,
  wasLocked: boolean,
  within: number,
): Promise<Verdict> {
  const ended = new AbortController();
  const { signal } = ended;
  const verdict = await Promise.race([
    look(db, change, wasLocked, signal),
    // A look may wait for the lock longer than anybody who asks does.
    setTimeout(within, 'unknown' as const, { signal }),
  ]);
  ended.abort();
  return verdict;
}

/** Looks again and again, for as long as there is a database to look at. */
async function look(
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
    await setTimeout(LOOK_AGAIN);
  }
  return 'unknown';
}

/** Whether the log has a change. The commit, after a lock, also waits for standbys. */
async function find(
  db: Database,
  { stored, kept, follows }: Change,
  wasLocked: boolean,
): Promise<Verdict> {
  const connection = await db.connect();
  try {
    const first = stored[0]?.position ?? 1;
    const [, edge, there, outcomes] = await Promise.all([
      connection.run(BEGIN_LOOK),
      new MerkleTables(connection).lockedEdge(),
      readStored(connection, first - 1, stored.length),
      readKept(connection, kept.added),
    ]);
    await connection.run('COMMIT');
    const [warning] = connection.warnings;
    if (warning !== undefined) throw warning;
    const isThere =
      stored.every((event, index) => isSame(event, there[index])) &&
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

function isSame(event: StoredEvent, there: StoredEvent | undefined): boolean {
  return there !== undefined && recordOf(there) === recordOf(event);
}
