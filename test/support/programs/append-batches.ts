import type { OrderId, PetId } from '../../../src/domain/order-id.ts';
import { openDatabase } from '../../../src/infra/sqlite/database.ts';
import { openLog } from '../../../src/infra/sqlite/event-log.ts';
import { newEvent } from '../events.ts';

/**
 * Appends batches of events of the given numbers of orders, with a checkpoint for each 0, and then
 * closes the store or is killed. The -wal file restarts after the given number of pages.
 */
const [, , file = '', ending, pages, ...batches] = process.argv;
const db = openDatabase(file);
const log = openLog(file, db);
db.pragma(`wal_autocheckpoint = ${pages}`);

for (const size of batches.map(Number)) {
  if (size === 0) db.pragma('wal_checkpoint(PASSIVE)');
  else await append(size);
}
if (ending === 'close') await log.close();
else process.kill(process.pid, 'SIGKILL');

async function append(size: number): Promise<void> {
  const head = await log.head();
  const events = Array.from({ length: size }, (_, index) =>
    newEvent({
      type: 'OrderPlaced',
      orderId: BigInt(head + 1 + index) as OrderId,
      petId: 1n as PetId,
      quantity: 1 + ((head + index) % 1_000),
    }),
  );
  const result = await log.append(head, () => events);
  if (result.kind !== 'appended') throw new Error(result.kind, { cause: result });
}
