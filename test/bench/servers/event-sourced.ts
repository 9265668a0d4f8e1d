import Database from 'better-sqlite3';
import { bearer, leanApp } from './bearer.ts';
import { listen } from './listen.ts';

/**
 * A straightforward event-sourced implementation: for each request a transaction that reads the
 * order's events by an index, folds them, and inserts one more under a unique version. It is as
 * durable as the product.
 */
const [file = '', orders = '0'] = process.argv.slice(2);
const db = new Database(file);
db.pragma('journal_mode = WAL');
db.pragma('synchronous = FULL');
db.exec(`
  CREATE TABLE events (
    position INTEGER PRIMARY KEY,
    order_id INTEGER NOT NULL,
    version  INTEGER NOT NULL,
    type     TEXT NOT NULL,
    data     TEXT NOT NULL,
    at       TEXT NOT NULL,
    UNIQUE (order_id, version)
  ) STRICT;
  WITH RECURSIVE n (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n WHERE id < ${Number(orders)})
  INSERT INTO events
  SELECT id, id, 1, 'OrderPlaced', json_object('petId', id % 1000, 'quantity', 1),
         '2026-06-01T12:00:00.000Z' FROM n;
`);
db.pragma('wal_checkpoint(TRUNCATE)');

const history = db.prepare('SELECT type, data FROM events WHERE order_id = ? ORDER BY version');
const insert = db.prepare(
  'INSERT INTO events (order_id, version, type, data, at) VALUES (?, ?, ?, ?, ?)',
);
const cancel = db.transaction((id: bigint): number => {
  const events = history.all(id) as { type: string; data: string }[];
  const state = events.reduce((_state, { type, data }) => ({ type, ...JSON.parse(data) }), {
    type: 'none',
  });
  if (state.type === 'none') return 404;
  if (state.type === 'OrderShipped') return 409;
  if (state.type === 'OrderCancelled') return 204;
  insert.run(id, events.length + 1, 'OrderCancelled', '{}', new Date().toISOString());
  return 204;
});

const app = leanApp();
app.use(bearer);
app.delete('/v1/store/orders/:orderId', (req, res) => {
  res.status(cancel.immediate(BigInt(req.params.orderId))).end();
});
listen(app);
