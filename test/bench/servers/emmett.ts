import { pathToFileURL } from 'node:url';
import Database from 'better-sqlite3';
import { findEmmett } from '../emmett.ts';
import { bearer, leanApp } from './bearer.ts';
import { listen } from './listen.ts';

/**
 * Emmett's event store on SQLite, used as its documentation has it: a command handler that reads
 * the order's stream, folds it, decides, and appends what was decided.
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
interface EmmettSqlite {
  getSQLiteEventStore(options: { fileName: string }): object;
}

const [file = '', orders = '0', folder = ''] = process.argv.slice(2);
const [core, sqlite] = (await Promise.all(
  findEmmett(folder).map((module) => import(pathToFileURL(module).href)),
)) as [Emmett, EmmettSqlite];

const store = sqlite.getSQLiteEventStore({ fileName: file });
const handle = core.CommandHandler({
  evolve: (_status, { type }) => type,
  initialState: () => 'none',
});
await handle(store, 'order-1', () => ({ type: 'OrderPlaced', data: { petId: 7, quantity: 1 } }));
placeTheOthers();

let last: Promise<unknown> = Promise.resolve();

/**
 * The store has one connection, on which transactions that overlap become one: only in turn is
 * an answer sent after its own commit.
 */
function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
  const result = last.then(work);
  last = result.catch(() => undefined);
  return result;
}

const app = leanApp();
app.use(bearer);
app.delete('/v1/store/orders/:orderId', async (req, res) => {
  res.status(await inTurn(() => cancel(`order-${req.params.orderId}`))).end();
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
function placeTheOthers(): void {
  const db = new Database(file);
  const idOf = "'order-' || n.id";
  for (const [table, changed] of [
    ['emt_streams', { stream_id: idOf }],
    ['emt_messages', { stream_id: idOf, message_id: idOf, global_position: 'n.id' }],
  ] as const) {
    const columns = db.pragma(`table_info(${table})`) as { name: string }[];
    const names = columns.map(({ name }) => `"${name}"`).join(', ');
    const values = columns.map(({ name }) => (changed as Record<string, string>)[name] ?? name);
    db.exec(`
      WITH RECURSIVE n (id) AS (
        SELECT 2 UNION ALL SELECT id + 1 FROM n WHERE id < ${Number(orders)}
      )
      INSERT INTO ${table} (${names}) SELECT ${values.join(', ')} FROM ${table} AS first, n
      WHERE first.stream_id = 'order-1';
    `);
  }
  db.close();
}
