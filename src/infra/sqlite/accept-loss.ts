import { copyFileSync, existsSync } from 'node:fs';
import { CannotStart } from '../../app/cannot-start.ts';
import type { AcceptedLoss } from '../../app/ports/store.ts';
import { openDatabase, requireStore } from './database.ts';
import { removeHead } from './head-file.ts';
import { lockForServer } from './server-lock.ts';
import { openLog } from './sqlite-event-log.ts';
import { damageIn } from './wal-guard.ts';

/**
 * Gives up what stands behind the damage in a store's `-wal` file, and keeps a copy of that file.
 * Throws {@link CannotStart} where there is no damage, or where more than the end is lost.
 */
export async function acceptLoss(file: string): Promise<AcceptedLoss> {
  requireStore(file);
  const damage = damageIn(`${file}-wal`);
  if (damage === undefined) {
    throw new CannotStart(`${file}-wal is not damaged: there is nothing to give up.`);
  }
  const unlock = lockForServer(file);
  const copy = newNameFor(`${file}-wal-damaged`);
  try {
    copyFileSync(`${file}-wal`, copy);
    return { head: await openWithoutGuard(file), copy };
  } catch (error) {
    // SQLite deletes it when it closes the file, and the next start would find nothing amiss.
    if (!existsSync(`${file}-wal`)) copyFileSync(copy, `${file}-wal`);
    throw error;
  } finally {
    unlock();
  }
}

// SQLite drops what stands behind the damage when it opens the file.
async function openWithoutGuard(file: string): Promise<number> {
  const db = openDatabase(file, () => {}, 'refuse');
  try {
    // The store's file may hold parts of transactions whose other parts are in the damaged file.
    if (db.pragma('quick_check(1)', { simple: true }) !== 'ok') {
      throw new CannotStart(`What is left of ${file} is not a whole database. Restore a backup.`);
    }
    if (db.pragma('wal_checkpoint(TRUNCATE)', { simple: true }) !== 0) {
      throw new CannotStart(`${file} is in use by another program. Stop it first.`);
    }
    removeHead(file);
    return await openLog(file, db).head();
  } finally {
    db.close();
  }
}

function newNameFor(name: string): string {
  for (let number = 1; ; number++) {
    if (!existsSync(`${name}-${number}`)) return `${name}-${number}`;
  }
}
