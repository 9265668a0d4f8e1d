import { Frontier } from '../../app/audit/merkle-tree.ts';
import { CannotStart } from '../../app/cannot-start.ts';
import type { Fill } from '../../app/ports/store.ts';
import { addRecorded, BEGIN } from './batch.ts';
import type { Connection, Database } from './database.ts';
import { MerkleTables, sizeOf } from './merkle-tables.ts';
import { refuseWhileServed } from './servers.ts';

/** What is taken over may come slowly, and nobody else is to append meanwhile. */
const BEGIN_LONG = `${BEGIN}; SET LOCAL idle_in_transaction_session_timeout = 0`;

/** Records what another log has recorded: see {@link CommandLineStore.takeOver}. */
export async function takeOver(db: Database, fill: Fill): Promise<void> {
  const connection = await db.connect();
  try {
    await connection.run(BEGIN_LONG);
    await addAll(connection, fill);
  } catch (error) {
    await connection.rollBack();
    throw error;
  }
  try {
    await connection.run('COMMIT');
    const [warning] = connection.warnings;
    if (warning !== undefined) throw warning;
  } catch (error) {
    connection.release(error as Error);
    const { message } = error as Error;
    throw new Error(`Whether the events were recorded is not known: ${message}. Run it again.`);
  }
  connection.release();
}

async function addAll(connection: Connection, fill: Fill): Promise<void> {
  const edge = await new MerkleTables(connection).lockedEdge();
  const head = sizeOf(edge);
  if (head > 0) throw new CannotStart(`The store has ${head} events: it takes an empty one.`);
  await refuseWhileServed(connection);
  // While some are written, the next are read and checked.
  let written = Promise.resolve(edge);
  const due = await fill(async (events) => {
    const before = await written;
    written = addRecorded(connection, before, events);
    // Whoever waits for the next hears of it.
    written.catch(() => undefined);
  });
  const tree = Frontier.unpack(await written);
  if (tree.size !== due.size || !tree.root().equals(due.root)) {
    throw new Error('the tree of these events is another one');
  }
}
