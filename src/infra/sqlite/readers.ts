/** The read side of a store in SQLite. */

import type Database from 'better-sqlite3';
import type { Store } from '../../app/ports/store.ts';
import type { WitnessSignal } from '../process/witness-file.ts';
import { epochsIn } from './epochs-table.ts';
import { SqliteEventLog } from './event-log.ts';
import { SqliteKeyStore } from './key-store.ts';
import { SqliteSigningKeys } from './signing-keys.ts';
import { SnapshotFile } from './snapshot/snapshot-file.ts';
import { foldSourceIn } from './stored-events.ts';
import { SqliteTrail } from './trail.ts';

/** The parts of a store that share a server's reading connection, among them the keys. */
export type Readers = Pick<
  Store,
  'id' | 'epochs' | 'log' | 'trail' | 'keys' | 'signingKeys' | 'snapshots'
> &
  Required<Pick<Store, 'foldSource'>>;

/**
 * Returns the readers over a connection, which the log closes.
 * @param signal See {@link SqliteEventLog}.
 */
export function readersOf(file: string, db: Database.Database, signal?: WitnessSignal): Readers {
  const epochs = epochsIn(db);
  const id = epochs.storeId;
  return {
    id,
    epochs,
    log: new SqliteEventLog(db, { signal }),
    foldSource: foldSourceIn(db),
    trail: new SqliteTrail(db),
    keys: new SqliteKeyStore(db),
    signingKeys: new SqliteSigningKeys(db),
    snapshots: new SnapshotFile(file, id, db),
  };
}
