/** The thread that renews the snapshot of a store, beside its server. */

import Database from 'better-sqlite3';
import { runRenewal } from '../snapshot/renewal.ts';
import { SnapshotFile } from '../snapshot/snapshot-file.ts';
import { storeIdOf } from './epochs-table.ts';
import { SqliteEventLog } from './event-log.ts';
import { rootsIn } from './merkle-tables.ts';
import { foldSourceIn } from './stored-events.ts';

await runRenewal(async ({ at, file }) => {
  const db = new Database(at, { readonly: true, fileMustExist: true });
  const log = new SqliteEventLog(db);
  return {
    log,
    foldSource: foldSourceIn(db),
    snapshots: new SnapshotFile(file, storeIdOf(db), rootsIn(db)),
    close: () => log.close(),
  };
});
