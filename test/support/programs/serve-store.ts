import { OrderList } from '../../../src/app/state/order-list.ts';
import { Writer } from '../../../src/app/write/writer.ts';
import { openSqliteStore } from '../../../src/infra/sqlite/store.ts';

/** Opens a store as a server does, places orders endlessly, and prints the id of each. */
const [, , file = ''] = process.argv;

const store = await openSqliteStore(file, {
  lost: () => process.exit(1),
  impaired: () => process.exit(1),
});
await store.begin(Writer.startOf(new OrderList(() => null)));
for (;;) {
  const [outcome] = await store.writer.execute([
    {
      command: { type: 'PlaceNewOrder', petId: 1n as never, quantity: 1 },
      by: 'test',
      commandId: 'c-1',
    },
  ]);
  console.log(outcome?.kind === 'accepted' ? `${outcome.orderId}` : outcome?.kind);
}
