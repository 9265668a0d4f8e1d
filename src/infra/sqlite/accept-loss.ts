import { copyFileSync, existsSync } from 'node:fs';
import { CannotStart } from '../../app/cannot-start.ts';
import type { AcceptedLoss } from '../../app/ports/store.ts';
import { openDatabase, requireStore } from './database.ts';
import { acceptBreak } from './epochs-table.ts';
import { contradictionIn } from './head-file.ts';
import { lockForServer } from './server-lock.ts';
import { openLog, requireWholeLog } from './sqlite-event-log.ts';
import { readLog } from './start-guard.ts';
import { damageIn } from './wal-guard.ts';

/**
 * Goes on with what is left of a log, in a new epoch: gives up what stands behind the damage in its
 * `-wal` file, and keeps a copy of that file; or what its head knows of and the log has not. Throws
 * {@link CannotStart} where nothing is lost, or where more than the end is.
 */
export async function acceptLoss(file: string): Promise<AcceptedLoss> {
  requireStore(file);
  const damage = damageIn(`${file}-wal`);
  const wrong = damage === undefined ? contradictionIn(file, (at) => readLog(file, at)) : undefined;
  if (damage === undefined && wrong === undefined) {
    throw new CannotStart(`Nothing of ${file} is missing: there is nothing to give up.`);
  }
  const unlock = lockForServer(file);
  try {
    return damage === undefined ? await cut(file, true) : await cutWal(file);
  } finally {
    unlock();
  }
}

async function cutWal(file: string): Promise<AcceptedLoss> {
  const copy = newNameFor(`${file}-wal-damaged`);
  try {
    copyFileSync(`${file}-wal`, copy);
    return { ...(await cut(file, false)), copy };
  } catch (error) {
    // SQLite deletes it when it closes the file, and the next start would find nothing amiss.
    if (!existsSync(`${file}-wal`)) copyFileSync(copy, `${file}-wal`);
    throw error;
  }
}

/**
 * SQLite drops what stands behind the damage when it opens the file.
 * @param isExact Whether the head tells of all that was acknowledged. Where the `-wal` file is damaged,
 * a power cut may have taken the end of both.
 */
async function cut(file: string, isExact: boolean): Promise<AcceptedLoss> {
  const db = openDatabase(file, () => {}, 'refuse');
  try {
    // The store's file may hold parts of transactions whose other parts are in the damaged file.
    if (db.pragma('quick_check(1)', { simple: true }) !== 'ok') {
      throw new CannotStart(`What is left of ${file} is not a whole database. Restore a backup.`);
    }
    if (db.pragma('wal_checkpoint(TRUNCATE)', { simple: true }) !== 0) {
      throw new CannotStart(`${file} is in use by another program. Stop it first.`);
    }
    requireWholeLog(file, db);
    const { id } = acceptBreak(file, db, isExact);
    const log = openLog(file, db);
    const head = await log.head();
    // The -wal file goes with the last connection.
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
