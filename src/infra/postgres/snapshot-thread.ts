/** The thread that renews the snapshot which an instance has of a store. */

import { runRenewal } from '../snapshot/renewal.ts';
import { SnapshotFile } from '../snapshot/snapshot-file.ts';
import { openDatabase } from './database.ts';
import { PostgresEventLog } from './event-log.ts';
import { rootsIn } from './merkle-tables.ts';
import { foldSourceIn } from './stored-events.ts';

await runRenewal(async ({ at, file }) => {
  const { db, id } = await openDatabase(at);
  const log = new PostgresEventLog(db);
  return {
    log,
    foldSource: foldSourceIn(db),
    snapshots: new SnapshotFile(file, id, rootsIn(db)),
    close: () => log.close(),
  };
});
