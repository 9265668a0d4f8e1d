import type { RequestListener } from 'node:http';
import { changingRequests } from '../faults.ts';
import {
  type Fault,
  listOf,
  type Row,
  since,
  type Watched,
  watching,
  withEachRow,
  withRows,
} from './faulty.ts';

/** Faults of the list. */

/** Changes lists as a whole. */
function lists(change: (exchange: Watched) => void): NonNullable<Fault['http']> {
  return (app) =>
    watching(app, (exchange) => {
      if (exchange.isList) change(exchange);
    });
}

function capped(rows: number): NonNullable<Fault['http']> {
  return (app) => withRows(app, (all) => all.slice(0, rows));
}

function newest(rows: number): NonNullable<Fault['http']> {
  return (app) => withRows(app, (all) => all.slice(-rows));
}

/** Sends clients that accept gzip the list that the last of them was due. */
function staleIfCompressed(app: RequestListener): RequestListener {
  let before: string | undefined;
  return ifCompressed(app, (exchange) => {
    const now = exchange.body;
    exchange.body = before ?? now;
    before = now;
  });
}

function plainIfCompressed(app: RequestListener): RequestListener {
  return ifCompressed(app, ({ headers }) => {
    headers['content-encoding'] = 'gzip';
  });
}

/** Changes the lists for clients that accept gzip. */
function ifCompressed(app: RequestListener, change: (exchange: Watched) => void): RequestListener {
  const accepting = new WeakSet<object>();
  const changed = lists((exchange) => {
    if (accepting.has(exchange.request)) change(exchange);
  })(app, '');
  return changingRequests(changed, (req) => {
    if (req.headers['accept-encoding'] === 'gzip') accepting.add(req);
  });
}

function typed(type: string | undefined): NonNullable<Fault['http']> {
  return lists((exchange) => {
    exchange.headers['content-type'] = type;
  });
}

function empty(change: (exchange: Watched) => void): NonNullable<Fault['http']> {
  return lists((exchange) => {
    if (exchange.body === '[]') change(exchange);
  });
}

/** Changes one property of each row. */
function shown(
  name: string,
  change: (value: unknown, row: Row) => unknown,
): NonNullable<Fault['http']> {
  return (app) => withEachRow(app, (row) => ({ ...row, [name]: change(row[name], row) }));
}

/** Changes the ship dates of the rows that have one. */
function dated(change: (date: string) => unknown): NonNullable<Fault['http']> {
  return shown('shipDate', (date) => (date === undefined ? undefined : change(date as string)));
}

/** Some lists are the one before. */
function stale(every: number): NonNullable<Fault['http']> {
  return (app) => {
    let [count, before] = [0, '[]'];
    return watching(app, (exchange) => {
      if (!exchange.isList) return;
      count += 1;
      const now = exchange.body;
      if (count % every === 0) exchange.body = before;
      before = now;
    });
  };
}

const TORN_MS = 25;

/** A list is read in two halves, with a pause between. */
function torn(app: RequestListener): RequestListener {
  return watching(app, async (exchange) => {
    if (!exchange.isList) return;
    const first = JSON.parse(exchange.body) as { id: number }[];
    await new Promise((resolve) => setTimeout(resolve, TORN_MS));
    const half = first[Math.floor(first.length / 2)]?.id ?? 0;
    const later = await listOf(app, exchange);
    const rows = exchange.body.match(/\{[^}]*\}/g) ?? [];
    const old = rows.filter((_, index) => (first[index]?.id ?? 0) > half);
    const fresh = later.filter(({ id }) => id <= half);
    const texts = fresh.map((row) => {
      const { id, petId, quantity, shipDate, complete } = row as Record<string, unknown>;
      const date = shipDate === undefined ? '' : `"shipDate":"${shipDate}",`;
      return `{"id":${id},"petId":${petId},"quantity":${quantity},${date}"complete":${complete}}`;
    });
    exchange.body = `[${[...texts, ...old].join(',')}]`;
  });
}

export const LISTS: readonly Fault[] = [
  { name: 'the list has the content type of a page', http: typed('text/html') },
  { name: 'the list has the content type of a text', http: typed('text/plain; charset=utf-8') },
  {
    name: 'the list has the charset of another encoding',
    http: typed('application/json; charset=iso-8859-1'),
  },
  { name: 'a compressed list is the one before', http: staleIfCompressed },
  { name: 'a compressed list is not compressed', http: plainIfCompressed },
  { name: 'the list has no content type', http: typed(undefined) },
  { name: 'the list has the content type of a stream', http: typed('application/jsonl') },
  {
    name: 'an empty list is a 204',
    http: empty((exchange) => {
      exchange.status = 204;
      exchange.body = '';
    }),
  },
  {
    name: 'an empty list is a 404',
    http: empty((exchange) => {
      exchange.status = 404;
      exchange.body = '{"code":"not_found","message":"There are none.","status":404}';
    }),
  },
  {
    name: 'an empty list is null',
    http: empty((exchange) => {
      exchange.body = 'null';
    }),
  },
  {
    name: 'an empty list is an object',
    http: empty((exchange) => {
      exchange.body = '{}';
    }),
  },
  {
    name: 'an empty list is a text',
    http: empty((exchange) => {
      exchange.headers['content-type'] = 'text/plain';
    }),
  },
  {
    name: 'the list is in an object',
    http: lists((exchange) => {
      exchange.body = `{"orders":${exchange.body}}`;
    }),
  },
  {
    name: 'the list is one order a line',
    http: lists((exchange) => {
      exchange.body = exchange.body.slice(1, -1).replaceAll('},{', '}\n{');
    }),
  },
  {
    name: 'the list ends with a comma',
    http: lists((exchange) => {
      exchange.body = exchange.body.replace('}]', '},]');
    }),
  },
  {
    name: 'the list is a 206',
    http: lists((exchange) => {
      exchange.status = 206;
    }),
  },
  { name: 'the list ends after 50 orders', http: capped(50) },
  { name: 'the list ends after 100 orders', http: capped(100) },
  { name: 'the list ends after 250 orders', http: capped(250), orders: 300 },
  { name: 'the list ends after 500 orders', http: capped(500), orders: 600 },
  { name: 'the list ends after 1,000 orders', http: capped(1_000), orders: 1_100 },
  { name: 'the list ends after 5,000 orders', http: capped(5_000), orders: 5_500 },
  {
    name: 'of more than 1,000 orders one is listed twice',
    orders: 1_100,
    http: (app) =>
      withRows(app, (all) => [
        ...all.slice(0, 1_000),
        ...(all.length > 1_000 ? all.slice(999) : []),
      ]),
  },
  { name: 'the list has the last 20 orders', http: newest(20) },
  { name: 'the list has the last 100 orders', http: newest(100) },
  { name: 'the list has the last 500 orders', http: newest(500), orders: 600 },
  { name: 'the list lacks the first order', http: (app) => withRows(app, (all) => all.slice(1)) },
  {
    name: 'the list forgets shipped orders',
    http: (app) => withEachRow(app, (row) => (row.complete ? undefined : row)),
  },
  {
    name: 'the list forgets cancelled orders at once',
    http: (app) => withEachRow(app, (row, seen) => (seen?.cancelledAt ? undefined : row)),
  },
  {
    name: 'the list forgets cancelled orders after a second',
    comesByChance: true,
    http: (app) =>
      withEachRow(app, (row, seen) => (since(seen?.cancelledAt) > 1_000 ? undefined : row)),
  },
  {
    name: 'orders vanish after a second',
    comesByChance: true,
    http: (app) =>
      withEachRow(app, (row, seen) => (since(seen?.placedAt) > 1_000 ? undefined : row)),
  },
  {
    name: 'orders vanish after three seconds',
    comesByChance: true,
    http: (app) =>
      withEachRow(app, (row, seen) => (since(seen?.placedAt) > 3_000 ? undefined : row)),
  },
  {
    name: 'orders ship by themselves after a second',
    http: (app) =>
      withEachRow(app, (row, seen) =>
        since(seen?.placedAt) > 1_000 ? { ...row, complete: true } : row,
      ),
  },
  {
    name: 'orders ship by themselves after three seconds',
    comesByChance: true,
    http: (app) =>
      withEachRow(app, (row, seen) =>
        since(seen?.placedAt) > 3_000 ? { ...row, complete: true } : row,
      ),
  },
  {
    name: 'shipped orders are pending again after two seconds',
    comesByChance: true,
    http: (app) =>
      withEachRow(app, (row, seen) =>
        since(seen?.shippedAt) > 2_000 ? { ...row, complete: false } : row,
      ),
  },
  {
    name: 'orders lose their date after two seconds',
    comesByChance: true,
    http: (app) =>
      withEachRow(app, ({ shipDate, ...row }, seen) =>
        since(seen?.placedAt) > 2_000 || shipDate === undefined ? row : { ...row, shipDate },
      ),
  },
  {
    name: 'orders are for another animal after two seconds',
    comesByChance: true,
    http: (app) =>
      withEachRow(app, (row, seen) =>
        since(seen?.placedAt) > 2_000 ? { ...row, petId: 1n } : row,
      ),
  },
  {
    name: 'every 64th order is never listed',
    comesByChance: true,
    http: (app) => withEachRow(app, (row) => (row.id % 64n === 63n ? undefined : row)),
  },
  {
    name: 'every 300th order is never listed',
    comesByChance: true,
    orders: 700,
    http: (app) => withEachRow(app, (row) => (row.id % 300n === 299n ? undefined : row)),
  },
  {
    name: 'every 100th order is not listed once it is cancelled',
    orders: 1_100,
    comesByChance: true,
    http: (app) =>
      withEachRow(app, (row, seen) =>
        row.id % 100n === 0n && seen?.cancelledAt ? undefined : row,
      ),
  },
  {
    name: 'orders without a date are not listed',
    http: (app) => withEachRow(app, (row) => (row.shipDate === undefined ? undefined : row)),
  },
  { name: 'every list is the one before', http: stale(1) },
  { name: 'every tenth list is the one before', comesByChance: true, http: stale(10) },
  { name: 'a list is read in two halves', comesByChance: true, http: torn },
  { name: 'the list has ids as texts', http: shown('id', (id) => `${id}`) },
  { name: 'the list has animals as texts', http: shown('petId', (id) => `${id}`) },
  { name: 'the list has quantities as texts', http: shown('quantity', (it) => `${it}`) },
  { name: 'the list has no quantities', http: shown('quantity', () => undefined) },
  { name: 'the list has no animals', http: shown('petId', () => undefined) },
  { name: 'the list does not say what is complete', http: shown('complete', () => undefined) },
  { name: 'complete is 0 or 1', http: shown('complete', Number) },
  { name: 'complete is a text', http: shown('complete', String) },
  { name: 'complete is null for pending orders', http: shown('complete', (it) => it || null) },
  { name: 'every order is complete', http: shown('complete', () => true) },
  { name: 'no order is complete', http: shown('complete', () => false) },
  {
    name: 'cancelled orders are complete',
    http: (app) =>
      withEachRow(app, (row, seen) => (seen?.cancelledAt ? { ...row, complete: true } : row)),
  },
  {
    name: 'cancelled orders have no quantity left',
    http: (app) =>
      withEachRow(app, (row, seen) => (seen?.cancelledAt ? { ...row, quantity: 0 } : row)),
  },
  { name: 'animals are rounded', http: shown('petId', (id) => BigInt(Number(id))) },
  {
    name: 'animals have 32 bits',
    http: shown('petId', (id) => BigInt.asIntN(32, id as bigint)),
  },
  {
    name: 'animals have no sign',
    http: shown('petId', (id) => ((id as bigint) < 0n ? -(id as bigint) : id)),
  },
  {
    name: 'quantities end at 1,000',
    http: shown('quantity', (it) => ((it as bigint) > 1_000n ? 1_000 : it)),
  },
  {
    name: 'quantities have 16 bits',
    http: shown('quantity', (it) => BigInt.asIntN(16, it as bigint)),
  },
  { name: 'quantities have a fraction', http: shown('quantity', (it) => Number(it) + 0.5) },
  { name: 'dates are numbers', http: dated((date) => Date.parse(date)) },
  { name: 'dates have no time', http: dated((date) => date.slice(0, 10)) },
  { name: 'dates have no time zone', http: dated((date) => date.slice(0, -1)) },
  {
    name: 'dates lose their milliseconds',
    http: dated((date) => date.replace(/\.\d+Z$/, '.000Z')),
  },
  {
    name: 'dates are an hour late',
    http: dated((date) => new Date(Date.parse(date) + 3_600_000).toISOString()),
  },
  { name: 'an absent date is null', http: shown('shipDate', (date) => date ?? null) },
  { name: 'an absent date is an empty text', http: shown('shipDate', (date) => date ?? '') },
  {
    name: 'pending orders have no date',
    http: (app) =>
      withEachRow(app, ({ shipDate, ...row }) => (row.complete ? { ...row, shipDate } : row)),
  },
  {
    name: 'an order is in the list twice at the end',
    http: (app) => withRows(app, (rows) => [...rows, ...rows.slice(-1)]),
  },
  {
    name: 'an order in a hundred is in the list twice',
    comesByChance: true,
    http: (app) =>
      withRows(app, (rows) => rows.flatMap((row) => (row.id % 100n === 99n ? [row, row] : [row]))),
  },
];
