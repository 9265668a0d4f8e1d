/** Copies of a store into PostgreSQL, and from it. */

import { StoreIsThere, UserError } from '../../app/lifecycle/user-error.ts';
import { sizeOf } from '../../app/log/merkle-tree.ts';
import type { StoredFields } from '../../app/log/recorded-event.ts';
import type { KeptOutcome, OutcomeName } from '../../app/ports/event-log.ts';
import type { StoreCopy, StoreOriginal } from '../../app/ports/store-copy.ts';
import { addRecorded, BEGIN } from './batch.ts';
import type { Statement } from './connection/connection.ts';
import type { Database } from './connection/database.ts';
import { orFound } from './connection/lost-answer.ts';
import { aboutStoreIn, openDatabase, openForCopy } from './database.ts';
import {
  beginDueEpoch,
  enterEpochs,
  epochsIn,
  homeOf,
  markCopy,
  recordedHome,
  wasHandedTo,
} from './epochs-table.ts';
import { columnsOf, readKeptAfter } from './kept-outcomes-table.ts';
import { MerkleTables } from './merkle-tables.ts';
import { partsOf } from './parts.ts';
import { lockForCopy, refuseWhileServed } from './start/servers.ts';

const KEEP: Statement = {
  name: 'keep',
  text: `INSERT INTO store_orders.kept_outcomes
           SELECT * FROM unnest($1::text[], $2::text[], $3::text[],
                                $4::bigint[], $5::integer[], $6::text[], $7::bytea[])
           ON CONFLICT DO NOTHING`,
};
const BEGIN_COPY: Statement = {
  name: 'begin_copy',
  text: 'UPDATE store_orders.store SET is_whole = false, id = $1',
};
const FINISH_COPY: Statement = {
  name: 'finish_copy',
  text: 'UPDATE store_orders.store SET is_whole = true',
};

/** Opens a store in PostgreSQL to copy it. Throws {@link UserError} while it is served. */
export async function openPostgresOriginal(url: string): Promise<StoreOriginal> {
  const { db, id } = await openDatabase(url, 'refuse');
  const close = await lockedForCopy(db, async () => {
    await refuseWhileServed(db);
    // Damage of either is found before there is a copy.
    await epochsIn(db, id);
    await recordedHome(db);
  });
  return {
    ...partsOf(db),
    id,
    beginDueEpoch: (copyId) => beginDueEpoch(db, id, undefined, () => {}, copyId),
    close,
    handOver: (copyId) => markCopy(db, copyId),
    wasHandedTo: (copyId) => wasHandedTo(db, copyId),
    keptOutcomes: (after: OutcomeName, limit: number) => readKeptAfter(db, after, limit),
  };
}

/** Begins a copy of the store with this id in a database, or continues one that was interrupted. */
export async function openPostgresCopy(url: string, id: string): Promise<StoreCopy> {
  const { db } = await openForCopy(url);
  let copyId = '';
  const close = await lockedForCopy(db, async () => {
    await beginCopy(db, id);
    copyId = await homeOf(db);
  });
  return {
    ...partsOf(db),
    copyId,
    close,
    append: (events, traces) => append(db, events, traces),
    keep: (outcomes: readonly KeptOutcome[]) =>
      surely(db, async () => void (await db.query(KEEP, columnsOf(outcomes)))),
    enter: (epochs) => surely(db, () => enterEpochs(db, epochs)),
    finish: () => surely(db, async () => void (await db.query(FINISH_COPY))),
  };
}

/** Locks a database and does work. Returns a function that closes it, as it is closed if that fails. */
async function lockedForCopy(
  db: Database,
  work: () => Promise<void>,
): Promise<() => Promise<void>> {
  let unlock = async () => {};
  const close = async () => {
    await unlock();
    await db.close();
  };
  try {
    unlock = await lockForCopy(db);
    await work();
    return close;
  } catch (error) {
    await close();
    throw error;
  }
}

/** Makes a change that can be made again if its answer is lost. */
async function surely(db: Database, change: () => Promise<void>): Promise<void> {
  await orFound(db.place, 'the copy has all of this', change, async () => {
    await change();
    return true;
  });
}

/**
 * Makes an unfinished copy of an empty store, unless there is one with this id. Throws {@link
 * StoreIsThere}.
 */
async function beginCopy(db: Database, id: string): Promise<void> {
  const { trail, keys } = partsOf(db);
  // Read under the lock: another copy may have ended since the database was opened.
  const [there, , isWhole] = (await aboutStoreIn(db)) ?? [];
  if (isWhole !== true) {
    if (there === id) return;
    throw new UserError('Another store is being copied there. It was left as it is.');
  }
  const { size } = await trail.treeHead();
  if (size > 0 || (await keys.count()) > 0) {
    // A server or an import would have recorded the database.
    const isCopy = there === id && (await recordedHome(db)) === null;
    throw new StoreIsThere(
      'There is a store in the database already. It was left as it is.',
      isCopy ? await homeOf(db) : undefined,
    );
  }
  await surely(db, async () => void (await db.query(BEGIN_COPY, [id])));
}

async function append(
  db: Database,
  events: readonly StoredFields[],
  traces: ReadonlyMap<number, string>,
): Promise<void> {
  const size = events.at(-1)?.position;
  const add = () =>
    db.use(async (connection) => {
      await connection.run(BEGIN);
      const edge = await new MerkleTables(connection).lockedEdge();
      await addRecorded(connection, edge, events, traces);
      await connection.commit();
    });
  await orFound(db.place, 'the copy has all of this', add, async () => {
    return sizeOf(await new MerkleTables(db).edge()) === size;
  });
}
