/** The thread that renews the snapshot which an instance has of a store. */

import { loaded } from '../process/start-thread.ts';
import { runRenewal } from '../snapshot/renewal.ts';
import { SnapshotFile } from '../snapshot/snapshot-file.ts';
import { Database } from './connection/database.ts';
import { PostgresEventLog } from './event-log.ts';
import { rootsIn } from './merkle-tables.ts';
import { foldSourceIn } from './stored-events.ts';

loaded();

await runRenewal(async ({ at, storeId, file, key }) => {
  // The instance has checked the database when it started.
  const db = new Database(at);
  const log = new PostgresEventLog(db);
  const snapshots = new SnapshotFile(file, storeId, rootsIn(db));
  snapshots.sealWith(key);
  return {
    log,
    foldSource: foldSourceIn(db),
    snapshots,
    close: () => log.close(),
  };
});
