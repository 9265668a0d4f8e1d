import { Frontier, sizeOf, type TreeHead } from '../../app/log/merkle-tree.ts';
import type { Fill } from '../../app/ports/store.ts';
import { requireEmpty, requireSameTree } from '../checking/stored-check.ts';
import { addRecorded, BEGIN } from './batch.ts';
import type { Connection } from './connection/connection.ts';
import type { Database } from './connection/database.ts';
import { orFound } from './connection/lost-answer.ts';
import { MerkleTables } from './merkle-tables.ts';
import { refuseWhileServed } from './start/servers.ts';

/** The beginning of a transaction that may be idle for long: the events may arrive slowly. */
const BEGIN_LONG = `${BEGIN}; SET LOCAL idle_in_transaction_session_timeout = 0`;

/** Records the events of another log: see {@link CommandLineStore.takeOver}. */
export async function takeOver(db: Database, fill: Fill): Promise<void> {
  const connection = await db.connect();
  let due: TreeHead;
  try {
    await connection.run(BEGIN_LONG);
    due = await addAll(connection, fill);
  } catch (error) {
    await connection.rollBack();
    throw error;
  }
  const commit = () => connection.commit();
  await orFound(db.place, 'the events were recorded', commit, async () => {
    const edge = await new MerkleTables(db).edge();
    return Frontier.unpack(edge).root().equals(due.root);
  });
}

/** Adds all events, and returns the head that their tree has. */
async function addAll(connection: Connection, fill: Fill): Promise<TreeHead> {
  const edge = await new MerkleTables(connection).lockedEdge();
  requireEmpty(sizeOf(edge));
  await refuseWhileServed(connection);
  // While one chunk is written, the next is read and checked.
  let written = Promise.resolve(edge);
  const due = await fill(async (events) => {
    const before = await written;
    written = addRecorded(connection, before, events);
    // The next `await written` throws the error.
    written.catch(() => undefined);
  });
  requireSameTree(Frontier.unpack(await written), due);
  return due;
}
