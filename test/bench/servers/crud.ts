import Database from 'better-sqlite3';
import { bearer, leanApp } from './bearer.ts';
import { listen } from './listen.ts';

/**
 * A CRUD implementation: a row for each order, updated in place, in a transaction for each request.
 * It is as durable as the product.
 */
const [file = '', orders = '0'] = process.argv.slice(2);
const db = new Database(file);
db.pragma('journal_mode = WAL');
db.pragma('synchronous = FULL');
db.exec(`
  CREATE TABLE orders (
    id        INTEGER PRIMARY KEY,
    pet_id    INTEGER NOT NULL,
    quantity  INTEGER NOT NULL,
    ship_date TEXT,
    status    TEXT NOT NULL
  ) STRICT;
  WITH RECURSIVE n (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n WHERE id < ${Number(orders)})
  INSERT INTO orders SELECT id, id % 1000, 1, '2026-06-01T12:00:00.000Z', 'pending' FROM n;
`);
db.pragma('wal_checkpoint(TRUNCATE)');

const update = db.prepare(
  "UPDATE orders SET status = 'cancelled' WHERE id = ? AND status = 'pending'",
);
const status = db.prepare('SELECT status FROM orders WHERE id = ?').pluck();
const cancel = db.transaction((id: bigint): number => {
  if (update.run(id).changes === 1) return 204;
  return { cancelled: 204, shipped: 409 }[status.get(id) as string] ?? 404;
});

const app = leanApp();
app.use(bearer);
app.delete('/v1/store/orders/:orderId', (req, res) => {
  res.status(cancel.immediate(BigInt(req.params.orderId))).end();
});
listen(app);
