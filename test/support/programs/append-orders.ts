import type { OrderId, PetId } from '../../../src/domain/order-id.ts';
import { openDatabase } from '../../../src/infra/sqlite/database.ts';
import { openLog } from '../../../src/infra/sqlite/event-log.ts';
import { newEvent } from '../events.ts';

/** Appends events one by one, and prints the position of each. */
const [, , file = '', order = '', count] = process.argv;
const orderId = BigInt(order) as OrderId;
const log = openLog(file, openDatabase(file));

for (let version = 1; version <= Number(count); version++) {
  const event = { type: 'OrderPlaced', orderId, petId: 1n as PetId, quantity: 1 } as const;
  const result = await log.append(0, () => [newEvent(event, version)]);
  console.log(result.kind === 'appended' ? result.events[0]?.position : result.kind);
}
await log.close();
