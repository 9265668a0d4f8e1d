import { randomBytes } from 'node:crypto';
import { renameSync, rmSync } from 'node:fs';
import Database from 'better-sqlite3';
import { nextTurn } from '../../app/event-loop.ts';
import { UserError } from '../../app/lifecycle/user-error.ts';
import { DamagedStore } from '../../app/ports/store.ts';
import type { Pace } from '../checking/keep-checking.ts';
import { markCopy } from './epochs-table.ts';
import { requireFree } from './free-name.ts';
import { checkSqliteStore } from './store-check.ts';

/** The pages that are copied before other work gets a turn. */
const CHUNK_PAGES = 100;

/**
 * Copies a store to a new file, as of one moment, while it is in use. The copy is marked as a
 * backup: a service that continues it begins a new epoch. Until it is complete and checked it has another
 * name, of its own: two at once for one file would remove each other's.
 */
export async function copyAsBackup(
  db: Database.Database,
  to: string,
  signal?: AbortSignal,
): Promise<void> {
  requireFree(to);
  const unfinished = `${to}.unfinished-${randomBytes(4).toString('hex')}`;
  const goOn = () => {
    signal?.throwIfAborted();
    return CHUNK_PAGES;
  };
  try {
    await db.backup(unfinished, { progress: goOn });
    markAsBackup(unfinished);
    await check(unfinished, () => nextTurn().then(goOn));
    requireFree(to);
    renameSync(unfinished, to);
  } catch (error) {
    if (error instanceof UserError || error instanceof DamagedStore) throw error;
    const { message } = error as Error;
    throw new UserError(`${to} cannot be written: ${message}. Nothing is left there.`);
  } finally {
    for (const end of ['', '-journal', '-wal', '-shm']) rmSync(unfinished + end, { force: true });
  }
}

function markAsBackup(file: string): void {
  const copy = new Database(file, { fileMustExist: true });
  try {
    // Before the mark, so that the mark is written to this file and not to a `-wal` file beside
    // it.
    copy.pragma('journal_mode = DELETE');
    copy.pragma('synchronous = FULL');
    markCopy(copy, 'backup');
  } finally {
    copy.close();
  }
}

/** Checks a copy. Throws {@link DamagedStore}, or what `pace` throws. */
async function check(file: string, pace: Pace): Promise<void> {
  try {
    await checkSqliteStore(file, pace);
  } catch (error) {
    if (error instanceof UserError) throw error;
    const { message } = error as Error;
    throw new DamagedStore(
      `the copy is not what was recorded, and was removed: ${message}. Check the store itself: ` +
        'store-orders verify',
    );
  }
}
