/** The parts of a store in SQLite that share a connection. */

import type Database from 'better-sqlite3';
import type { Snapshots } from '../../app/ports/snapshots.ts';
import type { Store, StoreParts } from '../../app/ports/store.ts';
import { SnapshotFile, snapshotBeside } from '../snapshot/snapshot-file.ts';
import type { AppendSignal } from './append-signal.ts';
import { epochsIn } from './epochs-table.ts';
import { SqliteEventLog } from './event-log.ts';
import { SqliteKeyStore } from './key-store.ts';
import { rootsIn } from './merkle-tables.ts';
import { SideReader } from './side-reader.ts';
import { SqliteSigningKeys } from './signing-keys.ts';
import { foldSourceIn } from './stored-events.ts';
import { SqliteTrail } from './trail.ts';

/**
 * Returns the parts of a store over a connection. The refusals are in a file of their own.
 * @param signal See {@link SqliteTrail}.
 */
export function partsOf(
  db: Database.Database,
  signal?: AppendSignal,
): Omit<StoreParts, 'refusals'> {
  return {
    trail: new SqliteTrail(db, signal),
    keys: new SqliteKeyStore(db),
    signingKeys: new SqliteSigningKeys(db),
  };
}

/** The read side of a store, over the reading connection of a server. */
export type Readers = Omit<StoreParts, 'refusals'> &
  Pick<Store, 'id' | 'epochs' | 'log'> &
  Required<Pick<Store, 'foldSource'>> & { readonly snapshots: Required<Snapshots> };

/**
 * Returns the readers over a connection, which the log closes.
 * @param given See {@link SqliteEventLog}.
 */
export function readersOf(
  file: string,
  db: Database.Database,
  given: ConstructorParameters<typeof SqliteEventLog>[1] = {},
): Readers {
  const epochs = epochsIn(db);
  const id = epochs.storeId;
  // Without a writer, the file may be read by one connection alone: see waiting.ts.
  const aside = given.signal && ((sql: string) => new SideReader(file, sql));
  return {
    ...partsOf(db, given.signal),
    id,
    epochs,
    log: new SqliteEventLog(db, given),
    foldSource: foldSourceIn(db, aside),
    snapshots: new SnapshotFile(snapshotBeside(file), id, rootsIn(db), {
      engine: 'sqlite',
      at: file,
    }),
  };
}
