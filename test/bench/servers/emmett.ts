import Database from 'better-sqlite3';
import { bearer, leanApp } from './bearer.ts';
import { columnsOfCopy, emmettOrders, TABLES } from './emmett-orders.ts';
import { listen } from './listen.ts';

/** Emmett's event store on SQLite. */
interface EmmettSqlite {
  getSQLiteEventStore(options: { fileName: string }): object;
}

const [file = '', orders = '0', folder = ''] = process.argv.slice(2);
const cancel = await emmettOrders<EmmettSqlite>(folder, 'sqlite', (its) =>
  its.getSQLiteEventStore({ fileName: file }),
);
placeTheOthers();

let last: Promise<unknown> = Promise.resolve();

/**
 * Runs commands one at a time: the store has one connection, on which concurrent transactions
 * merge, and a response must follow its own commit.
 */
function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
  const result = last.then(work);
  last = result.catch(() => undefined);
  return result;
}

const app = leanApp();
app.use(bearer);
app.delete('/v1/store/orders/:orderId', async (req, res) => {
  res.status(await inTurn(() => cancel(req.params.orderId))).end();
});
listen(app);

/** Copies the first order's stream, because appending a million one by one would take minutes. */
function placeTheOthers(): void {
  const db = new Database(file);
  for (const table of TABLES) {
    const columns = db.pragma(`table_info(${table})`) as { name: string }[];
    const { names, values } = columnsOfCopy(
      columns.map(({ name }) => name),
      table,
    );
    db.exec(`
      WITH RECURSIVE n (id) AS (
        SELECT 2 UNION ALL SELECT id + 1 FROM n WHERE id < ${Number(orders)}
      )
      INSERT INTO ${table} (${names}) SELECT ${values} FROM ${table} AS first, n
      WHERE first.stream_id = 'order-1';
    `);
  }
  db.close();
}
