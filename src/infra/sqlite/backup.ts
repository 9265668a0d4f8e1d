import { renameSync, rmSync } from 'node:fs';
import Database from 'better-sqlite3';
import { UserError } from '../../app/lifecycle/user-error.ts';
import { markCopy } from './epochs-table.ts';
import { requireFree } from './free-name.ts';

/**
 * Copies a store to a new file, as of one moment, while it is in use. The copy is marked as a
 * backup: a service that continues it begins a new epoch. Until it is complete it has another name.
 */
export async function copyAsBackup(db: Database.Database, to: string): Promise<void> {
  requireFree(to);
  const unfinished = `${to}-unfinished`;
  rmSync(unfinished, { force: true });
  try {
    await db.backup(unfinished);
    const copy = new Database(unfinished);
    try {
      // Before the mark, so that the mark is written to this file and not to a `-wal` file beside
      // it.
      copy.pragma('journal_mode = DELETE');
      copy.pragma('synchronous = FULL');
      markCopy(copy, 'backup');
    } finally {
      copy.close();
    }
    requireFree(to);
    renameSync(unfinished, to);
  } catch (error) {
    if (error instanceof UserError) throw error;
    const { message } = error as Error;
    throw new UserError(`${to} cannot be written: ${message}. Nothing is left there.`);
  } finally {
    rmSync(unfinished, { force: true });
  }
}
