/** The thread that renews the snapshot of a store, beside its server. */

import Database from 'better-sqlite3';
import { loaded } from '../process/start-thread.ts';
import { runRenewal } from '../snapshot/renewal.ts';
import { SnapshotFile } from '../snapshot/snapshot-file.ts';
import { SqliteEventLog } from './event-log.ts';
import { loadSqlite } from './load-sqlite.ts';
import { rootsIn } from './merkle-tables.ts';
import { foldSourceIn } from './stored-events.ts';

loadSqlite();
loaded();

await runRenewal(async ({ at, storeId, file, key }) => {
  const db = new Database(at, { readonly: true, fileMustExist: true });
  const log = new SqliteEventLog(db);
  const snapshots = new SnapshotFile(file, storeId, rootsIn(db));
  snapshots.sealWith(key);
  return {
    log,
    foldSource: foldSourceIn(db),
    snapshots,
    close: () => log.close(),
  };
});
