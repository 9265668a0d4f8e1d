import { OrderList } from '../../../src/app/order-list.ts';
import { openSqliteStore } from '../../../src/infra/sqlite/sqlite-store.ts';

/** Serves a store as a server does, places orders without end, and says each one's id. */
const [, , file = ''] = process.argv;

const store = await openSqliteStore(file, {
  lost: () => process.exit(1),
  impaired: () => process.exit(1),
});
await store.begin(new OrderList(() => null));
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
