import pg from 'pg';
import { bearer, leanApp } from './bearer.ts';
import { columnsOfCopy, emmettOrders, TABLES } from './emmett-orders.ts';
import { listen } from './listen.ts';

/** Emmett's event store on PostgreSQL, over its own pool of connections. */
interface EmmettPostgres {
  getPostgreSQLEventStore(url: string): object;
}

const [url = '', orders = '0', folder = ''] = process.argv.slice(2);
const cancel = await emmettOrders<EmmettPostgres>(folder, 'postgresql', (its) =>
  its.getPostgreSQLEventStore(url),
);
await placeTheOthers();

const app = leanApp();
app.use(bearer);
app.delete('/v1/store/orders/:orderId', async (req, res) => {
  res.status(await cancel(req.params.orderId)).end();
});
listen(app);

/** Copies the first order's stream, because appending a million one by one would take minutes. */
async function placeTheOthers(): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  for (const table of TABLES) {
    const { rows } = await client.query<{ name: string }>(
      `SELECT column_name AS name FROM information_schema.columns
        WHERE table_name = $1 AND table_schema = 'public'`,
      [table],
    );
    const { names, values } = columnsOfCopy(
      rows.map(({ name }) => name),
      table,
    );
    await client.query(
      `INSERT INTO ${table} (${names}) SELECT ${values}
         FROM ${table} AS first, generate_series(2, ${Number(orders)}) AS n (id)
        WHERE first.stream_id = 'order-1'`,
    );
  }
  await client.query(`SELECT setval('emt_global_message_position', ${Number(orders)})`);
  await client.end();
}
