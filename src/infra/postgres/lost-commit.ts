import { setTimeout } from 'node:timers/promises';
import { recordOf } from '../../app/audit/record.ts';
import type { StoredEvent } from '../event-codec.ts';
import { BEGIN, type Change } from './batch.ts';
import type { Database } from './database.ts';
import { readKept } from './kept-outcomes-table.ts';
import { OtherLog } from './known-head.ts';
import { MerkleTables } from './merkle-tables.ts';
import { readStored } from './stored-events.ts';

/** How long to wait between two looks, in milliseconds. */
const LOOK_AGAIN = 250;

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
  const until = performance.now() + within;
  do {
    try {
      return await find(db, change, wasLocked);
    } catch (error) {
      if (error instanceof OtherLog) break;
    }
    await setTimeout(LOOK_AGAIN);
  } while (performance.now() < until);
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
      connection.run(BEGIN),
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
    connection.release(error as Error);
    throw error;
  } finally {
    connection.release();
  }
}

function isSame(event: StoredEvent, there: StoredEvent | undefined): boolean {
  return there !== undefined && recordOf(there) === recordOf(event);
}
