import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { findEmmett } from '../emmett.ts';
import { bearer, leanApp } from './bearer.ts';
import { listen } from './listen.ts';

/**
 * Emmett's event store on PostgreSQL, used as its documentation has it: a command handler that reads
 * the order's stream, folds it, decides, and appends what was decided, over a pool of connections.
 */
interface OrderEvent {
  readonly type: 'OrderPlaced' | 'OrderShipped' | 'OrderCancelled';
  readonly data: object;
}
type Status = 'none' | OrderEvent['type'];
type Handle = (
  store: object,
  stream: string,
  decide: (status: Status) => OrderEvent | readonly OrderEvent[],
) => Promise<unknown>;
interface Emmett {
  CommandHandler(options: {
    evolve(status: Status, event: OrderEvent): Status;
    initialState(): Status;
  }): Handle;
}
interface EmmettPostgres {
  getPostgreSQLEventStore(url: string): object;
}

const [url = '', orders = '0', folder = ''] = process.argv.slice(2);
const [core, postgres] = (await Promise.all(
  findEmmett(folder, 'postgresql').map((module) => import(pathToFileURL(module).href)),
)) as [Emmett, EmmettPostgres];

const store = postgres.getPostgreSQLEventStore(url);
const handle = core.CommandHandler({
  evolve: (_status, { type }) => type,
  initialState: () => 'none',
});
await handle(store, 'order-1', () => ({ type: 'OrderPlaced', data: { petId: 7, quantity: 1 } }));
await placeTheOthers();

const app = leanApp();
app.use(bearer);
app.delete('/v1/store/orders/:orderId', async (req, res) => {
  res.status(await cancel(`order-${req.params.orderId}`)).end();
});
listen(app);

async function cancel(stream: string): Promise<number> {
  let answer = 204;
  await handle(store, stream, (status) => {
    if (status === 'OrderPlaced') return { type: 'OrderCancelled', data: {} };
    if (status !== 'OrderCancelled') answer = status === 'none' ? 404 : 409;
    return [];
  });
  return answer;
}

/** Copies the first order's stream: to append a million one by one would take minutes. */
async function placeTheOthers(): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  const idOf = "'order-' || n.id";
  for (const [table, changed] of [
    ['emt_streams', { stream_id: idOf }],
    ['emt_messages', { stream_id: idOf, message_id: idOf, global_position: 'n.id' }],
  ] as const) {
    const { rows } = await client.query<{ name: string }>(
      `SELECT column_name AS name FROM information_schema.columns
        WHERE table_name = $1 AND table_schema = 'public' ORDER BY ordinal_position`,
      [table],
    );
    const names = rows.map(({ name }) => name).join(', ');
    const values = rows.map(
      ({ name }) => (changed as Record<string, string>)[name] ?? `first.${name}`,
    );
    await client.query(
      `INSERT INTO ${table} (${names}) SELECT ${values.join(', ')}
         FROM ${table} AS first, generate_series(2, ${Number(orders)}) AS n (id)
        WHERE first.stream_id = 'order-1'`,
    );
  }
  await client.query(`SELECT setval('emt_global_message_position', ${Number(orders)})`);
  await client.end();
}
