import type { RequestListener } from 'node:http';
import { changingAnswers, changingRequests, type Exchange } from '../faults.ts';
import { digestOf, tagging } from './conditions.ts';
import { bare, cancelling, type Fault, fail, watching, withEachRow, withRows } from './faulty.ts';

/** Servers that differ from this service in ways that the contract allows. */
export interface Deviation extends Fault {
  /** True if this service promises otherwise: then only `--contract-only` has to pass. */
  readonly breaksPromise?: true;
}

function everyAnswer(
  change: (exchange: Exchange) => void | Promise<void>,
): NonNullable<Fault['http']> {
  return (app) => changingAnswers(app, change);
}

function bodies(pattern: RegExp, replacement: string): NonNullable<Fault['http']> {
  return everyAnswer((exchange) => {
    exchange.body = exchange.body.replaceAll(pattern, replacement);
  });
}

function second(change: (exchange: Exchange) => void): NonNullable<Fault['http']> {
  return (app) =>
    cancelling(app, (exchange) => {
      if (exchange.before?.cancelledAt) change(exchange);
    });
}

function shippedAgain(app: RequestListener): RequestListener {
  return watching(app, (exchange) => {
    const { method, id, body } = exchange;
    if (method !== 'PUT' || !body.includes('order_already_shipped')) return;
    exchange.status = 200;
    exchange.body = `{"id":${id},"petId":7,"quantity":1,"complete":true}`;
  });
}

export const DEVIATIONS: readonly Deviation[] = [
  {
    name: 'orders have a status in words of their own',
    http: (app) =>
      withEachRow(app, (row, seen) => {
        const ended = seen?.cancelledAt ? 'canceled' : 'PLACED';
        return { ...row, status: row.complete ? 'delivered' : ended };
      }),
  },
  {
    name: 'orders that are not complete do not say so',
    http: bodies(/,"complete":false/g, ''),
    breaksPromise: true,
  },
  { name: 'quantities are written 1.0', http: bodies(/"quantity":(\d+)/g, '"quantity":$1.0') },
  { name: 'ids are written 1.0', http: bodies(/"id":(\d+)/g, '"id":$1.0') },
  { name: 'statuses are written 401.0', http: bodies(/"status":(\d+)/g, '"status":$1.0') },
  { name: 'orders have more properties', http: bodies(/\{"id"/g, '{"note":"new","id"') },
  { name: 'errors have more properties', http: bodies(/\{"code"/g, '{"trace":[1,null],"code"') },
  {
    name: 'properties come in another order',
    http: bodies(/\{("id":\d+),("petId":-?\d+)/g, '{$2,$1'),
  },
  { name: 'JSON is written with spaces', http: bodies(/,"/g, ' ,\n  "') },
  { name: 'dates have an offset', http: bodies(/(T[\d:]+\.\d+)Z/g, '$1+00:00') },
  { name: 'dates have more digits', http: bodies(/(T[\d:]+\.\d+)Z/g, '$1000000Z') },
  {
    name: 'every 400th request is a 503 for a second',
    http: (app) => {
      let requests = 0;
      return (req, res) => {
        requests += 1;
        if (requests % 400 !== 0) return app(req, res);
        req.resume();
        res.writeHead(503, { 'retry-after': '1' }).end();
      };
    },
  },
  {
    name: 'the content type has no parameter',
    http: everyAnswer(({ headers, status }) => {
      if (status !== 204) headers['content-type'] = 'application/json';
    }),
  },
  {
    name: 'the content type is written in capitals',
    http: everyAnswer(({ headers, status }) => {
      if (status !== 204) headers['content-type'] = 'Application/JSON ; charset="UTF-8"';
    }),
  },
  {
    name: 'the ETag of the list is a digest, which a cancellation does not change',
    http: tagging(({ path }) => path.endsWith('/store/orders'), digestOf),
  },
  {
    name: 'the ETag of the list is weak',
    http: tagging(
      ({ path }) => path.endsWith('/store/orders'),
      (it) => `W/${digestOf(it)}`,
    ),
  },
  {
    name: 'connections end after each answer',
    http: everyAnswer(({ headers }) => {
      headers.connection = 'close';
    }),
  },
  {
    name: 'every answer takes a few milliseconds',
    http: everyAnswer(() => new Promise((resolve) => setTimeout(resolve, 3))),
  },
  { name: 'messages differ', http: bodies(/"message":"(?:[^"\\]|\\.)*"/g, '"message":"?"') },
  {
    name: 'the scheme may be written in small letters',
    http: (app) =>
      changingRequests(app, ({ headers }) => {
        if (headers.authorization?.startsWith('bearer ')) {
          headers.authorization = headers.authorization.replace('bearer', 'Bearer');
        }
      }),
  },
  {
    name: 'a path in another spelling is redirected',
    http: everyAnswer((exchange) => {
      const [path = ''] = exchange.path.split('?');
      const plain = path.replaceAll(/\/+/g, '/').replace(/\/$/, '').toLowerCase();
      if (plain === path) return;
      bare(exchange, 308);
      exchange.headers.location = plain;
    }),
  },
  {
    name: 'wrong keys are slowed down',
    http(app) {
      let number = 0;
      return changingAnswers(app, (exchange) => {
        if (exchange.status !== 401) return;
        number += 1;
        if (number % 40 !== 0) return;
        fail(exchange, 429, 'rate_limited');
        exchange.headers['retry-after'] = '1';
      });
    },
  },
  {
    name: 'a single order cannot be got',
    http: everyAnswer((exchange) => {
      const isOne = exchange.method === 'GET' && /\d$/.test(exchange.path);
      if (isOne && exchange.status !== 401) fail(exchange, 405, 'method_not_allowed');
    }),
    breaksPromise: true,
  },
  {
    name: 'a second cancellation is a 404',
    http: second((exchange) => fail(exchange, 404, 'order_not_found')),
    breaksPromise: true,
  },
  {
    name: 'a second cancellation is a 409',
    http: second((exchange) => fail(exchange, 409, 'order_cancelled')),
    breaksPromise: true,
  },
  {
    name: 'a second cancellation is a 409 without a body',
    http: second((exchange) => bare(exchange, 409)),
    breaksPromise: true,
  },
  {
    name: 'a 409 has no body',
    http: everyAnswer((exchange) => {
      if (exchange.status === 409) bare(exchange, 409);
    }),
    breaksPromise: true,
  },
  {
    name: 'a 409 is a text',
    http: everyAnswer((exchange) => {
      if (exchange.status === 409) exchange.body = 'It has shipped.';
    }),
    breaksPromise: true,
  },
  {
    name: 'the newest orders come first',
    http: (app) => withRows(app, (rows) => rows.toReversed()),
    breaksPromise: true,
  },
  {
    name: 'the ship date stays the expected one',
    http(app) {
      const expected = new Map<string, unknown>();
      return withEachRow(app, (row) => {
        if (!row.complete) expected.set(`${row.id}`, row.shipDate);
        return { ...row, shipDate: row.complete ? expected.get(`${row.id}`) : row.shipDate };
      });
    },
    breaksPromise: true,
  },
  {
    name: 'a new order is a 200 without a Location',
    http: everyAnswer((exchange) => {
      if (exchange.method !== 'POST' || exchange.status !== 201) return;
      exchange.status = 200;
      exchange.headers.location = undefined;
    }),
    breaksPromise: true,
  },
  {
    name: 'a new order is answered with its Location alone',
    http: everyAnswer((exchange) => {
      if (exchange.method === 'POST' && exchange.status === 201) exchange.body = '';
    }),
    breaksPromise: true,
  },
  {
    name: 'a shipment is a 204',
    http: everyAnswer((exchange) => {
      if (exchange.method === 'PUT' && exchange.status === 200) bare(exchange, 204);
    }),
    breaksPromise: true,
  },
  {
    name: 'a shipment reported again is a 200 on any date',
    http: shippedAgain,
    breaksPromise: true,
  },
  {
    name: 'a malformed id is a 404',
    http: everyAnswer((exchange) => {
      if (exchange.status === 400 && exchange.method === 'DELETE') fail(exchange, 404, 'not_found');
    }),
    breaksPromise: true,
  },
  {
    name: 'errors have codes of their own',
    http: bodies(/"code":"(?!rate_limited)\w+"/g, '"code":"E17"'),
    breaksPromise: true,
  },
  {
    name: 'the numbers 012 and +12 are 12',
    http: (app) =>
      changingRequests(app, (req) => {
        req.url = req.url?.replace(/orders\/(?:\+|0+(?=\d))/, 'orders/') ?? '';
      }),
    breaksPromise: true,
  },
];
