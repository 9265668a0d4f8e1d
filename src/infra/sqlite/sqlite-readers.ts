import type Database from 'better-sqlite3';
import type { Store } from '../../app/ports/store.ts';
import { ChunkedFacts } from '../chunked-facts.ts';
import { END } from '../facts-parser.ts';
import { epochsIn } from './epochs-table.ts';
import { factChunksOf } from './fact-chunks.ts';
import type { HeadSignal } from './head-file.ts';
import { SnapshotFile } from './snapshot-file.ts';
import { SqliteEventLog } from './sqlite-event-log.ts';
import { SqliteKeyStore } from './sqlite-key-store.ts';
import { SqliteSigningKeys } from './sqlite-signing-keys.ts';
import { SqliteTrail } from './sqlite-trail.ts';
import { orUnavailable } from './storage-fault.ts';
import { StoredEvents } from './stored-events.ts';

/** What a server reads of a store, over one connection, with the keys. */
export type Readers = Pick<
  Store,
  'id' | 'epochs' | 'log' | 'trail' | 'keys' | 'signingKeys' | 'snapshots'
> &
  Required<Pick<Store, 'facts'>>;

/**
 * The readers over a connection, which closes with the log.
 * @param signal See {@link SqliteEventLog}.
 */
export function readersOf(file: string, db: Database.Database, signal?: HeadSignal): Readers {
  const epochs = epochsIn(db);
  const id = epochs.storeId;
  const chunkAfter = factChunksOf(db, END);
  return {
    id,
    epochs,
    log: new SqliteEventLog(db, undefined, signal),
    facts: new ChunkedFacts((after) => orUnavailable(() => chunkAfter(after)), storedIn(db)),
    trail: new SqliteTrail(db),
    keys: new SqliteKeyStore(db),
    signingKeys: new SqliteSigningKeys(db),
    snapshots: new SnapshotFile(file, id, db),
  };
}

/** Reads events as they are stored, so many after a position. */
export function storedIn(db: Database.Database) {
  const stored = new StoredEvents(db);
  return (after: number, count: number) => stored.read(after, count);
}
