import { copyFileSync, existsSync } from 'node:fs';
import { UserError } from '../../app/lifecycle/user-error.ts';
import type { AcceptedLoss } from '../../app/ports/store.ts';
import { openLocked, requireWholeLog } from './database.ts';
import { acceptBreak } from './epochs-table.ts';
import { openLog } from './event-log.ts';
import { contradictionIn } from './head-file.ts';
import { readLog } from './start/guard.ts';
import { lockForServer } from './start/server-lock.ts';
import { undoUnfinished } from './start/unfinished.ts';
import { cannotOpen, requireStore } from './store-file.ts';
import { damageIn } from './wal/guard.ts';

/**
 * Continues a log that has lost its end in a new epoch. The lost part is either behind the damage
 * in the `-wal` file, of which a copy is kept, or missing according to the head beside the store.
 * Throws {@link UserError} if nothing is lost, or more than the end.
 */
export async function acceptLossInSqlite(file: string): Promise<AcceptedLoss> {
  requireStore(file);
  const damage = damageIn(`${file}-wal`);
  const wrong = damage === undefined ? missingIn(file) : undefined;
  if (damage === undefined && wrong === undefined) {
    throw new UserError(`Nothing is missing in ${file}: there is no loss to accept.`);
  }
  const unlock = lockForServer(file);
  try {
    return damage === undefined ? await cut(file, true) : await cutWal(file);
  } finally {
    unlock();
  }
}

function missingIn(file: string): string | undefined {
  try {
    undoUnfinished(file);
    return contradictionIn(file, (at) => readLog(file, at));
  } catch (error) {
    throw cannotOpen(error, file);
  }
}

async function cutWal(file: string): Promise<AcceptedLoss> {
  const copy = newNameFor(`${file}-wal-damaged`);
  try {
    copyFileSync(`${file}-wal`, copy);
    return { ...(await cut(file, false)), copy };
  } catch (error) {
    // SQLite deletes the `-wal` file when it closes the store: the next start would find no damage.
    if (!existsSync(`${file}-wal`)) copyFileSync(copy, `${file}-wal`);
    throw error;
  }
}

/**
 * Begins an epoch at the end of the log. SQLite drops everything behind the damage when it opens
 * the file.
 * @param isExact True if the head certainly covers all that was acknowledged. If the `-wal` file is
 * damaged, a power cut may have truncated both.
 */
async function cut(file: string, isExact: boolean): Promise<AcceptedLoss> {
  const db = openLocked(file);
  try {
    // The store's file may contain parts of transactions whose rest is in the damaged `-wal` file.
    if (db.pragma('quick_check(1)', { simple: true }) !== 'ok') {
      throw new UserError(`What is left of ${file} is not a whole database. Restore a backup.`);
    }
    if (db.pragma('wal_checkpoint(TRUNCATE)', { simple: true }) !== 0) {
      throw new UserError(`${file} is in use by another program. Stop it first.`);
    }
    requireWholeLog(file, db);
    const { id } = acceptBreak(file, db, isExact);
    const log = openLog(file, db);
    const head = await log.head();
    // Closing the last connection deletes the `-wal` file.
    await log.close();
    return { head, epoch: id };
  } finally {
    db.close();
  }
}

function newNameFor(name: string): string {
  for (let number = 1; ; number++) {
    if (!existsSync(`${name}-${number}`)) return `${name}-${number}`;
  }
}
