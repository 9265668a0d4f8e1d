import type { RequestListener } from 'node:http';
import { changingRequests } from '../faults.ts';
import {
  bare,
  cancelling,
  type Fault,
  fail,
  since,
  type Watched,
  watching,
  withEachRow,
} from './faulty.ts';

/** Faults of cancellations, and of requests that overlap or have no answer. */

/** Changes cancellations that the application refuses, because the order has shipped. */
function tooLate(change: (exchange: Watched) => void): NonNullable<Fault['http']> {
  return (app) =>
    cancelling(app, (exchange) => {
      if (exchange.status === 409) change(exchange);
    });
}

/** Changes the first cancellations of pending orders. */
function timely(change: (exchange: Watched) => void): NonNullable<Fault['http']> {
  return (app) =>
    cancelling(app, (exchange) => {
      if (exchange.status === 204 && exchange.before?.cancelledAt === undefined) change(exchange);
    });
}

/** Changes every so many of the answers that something is true of. */
function every(count: number, change: (exchange: Watched) => void): (exchange: Watched) => void {
  let number = 0;
  return (exchange) => {
    number += 1;
    if (number % count === 0) change(exchange);
  };
}

const accept = (exchange: Watched) => bare(exchange, 204);
const refuse = (exchange: Watched) => fail(exchange, 409, 'order_already_shipped');

/** Changes the placed orders that something is true of, by their data. */
function placedWith(
  isHit: (order: { quantity: number; shipDate?: string; petId: number }) => boolean,
  change: (exchange: Watched) => void,
): NonNullable<Fault['http']> {
  return (app) => {
    const hit = new Set<string>();
    return watching(app, (exchange) => {
      const { method, status, body, id } = exchange;
      if (method === 'POST' && status === 201 && isHit(JSON.parse(body))) hit.add(id);
      if (method === 'DELETE' && status === 204 && hit.has(id)) change(exchange);
    });
  };
}

/** Accepts the cancellation of shipped orders that something is true of, by their data. */
function shippedWith(
  isHit: (order: { quantity: number; shipDate: string; petId: number }) => boolean,
): NonNullable<Fault['http']> {
  return (app) => {
    const hit = new Set<string>();
    return watching(app, (exchange) => {
      const { method, status, body, id } = exchange;
      if (method === 'PUT' && status === 200 && isHit(JSON.parse(body))) hit.add(id);
      if (method === 'DELETE' && status === 409 && hit.has(id)) accept(exchange);
    });
  };
}

/** Refused cancellations of shipped orders change the list all the same. */
function damaging(change: (row: Record<string, unknown>) => Record<string, unknown> | undefined) {
  return (app: RequestListener): RequestListener => {
    const damaged = new Set<string>();
    const listing = withEachRow(app, (row) => (damaged.has(`${row.id}`) ? change(row) : row));
    return watching(listing, ({ method, status, id }) => {
      if (method === 'DELETE' && status === 409) damaged.add(id);
    });
  };
}

export const CANCELLATIONS: readonly Fault[] = [
  { name: 'a cancellation is a 200 without a body', http: timely((it) => bare(it, 200)) },
  { name: 'a cancellation is a 202', http: timely((it) => bare(it, 202)) },
  {
    name: 'a cancellation is a 200 with the order',
    http: timely((exchange) => {
      exchange.status = 200;
      exchange.body = `{"id":${exchange.id},"complete":false}`;
    }),
  },
  { name: 'a pending order cannot be cancelled', http: timely(refuse) },
  {
    name: 'every 20th cancellation is refused',
    comesByChance: true,
    http: timely(every(20, refuse)),
  },
  {
    name: 'every 200th cancellation is refused',
    comesByChance: true,
    orders: 1_100,
    http: timely(every(200, refuse)),
  },
  {
    name: 'every 20th cancellation is a 500',
    comesByChance: true,
    http: timely(every(20, (it) => fail(it, 500, 'internal_error'))),
  },
  {
    name: 'an order with a past date counts as shipped',
    http: placedWith(({ shipDate }) => Date.parse(shipDate ?? '9999-01-01') < 1.75e12, refuse),
  },
  {
    name: 'an order with a future date counts as shipped',
    http: placedWith(({ shipDate }) => Date.parse(shipDate ?? '0001-01-01') > 1.75e12, refuse),
  },
  {
    name: 'an order of more than 1,000 cannot be cancelled',
    http: placedWith(({ quantity }) => quantity > 1_000, refuse),
  },
  {
    name: 'an order for an animal below 0 cannot be cancelled',
    http: placedWith(
      ({ petId }) => petId < 0,
      (it) => fail(it, 404, 'order_not_found'),
    ),
  },
  {
    name: 'an order can be cancelled for a second',
    comesByChance: true,
    http: timely((it) => {
      if (since(it.before?.placedAt) > 1_000) refuse(it);
    }),
  },
  {
    name: 'an order can be cancelled for three seconds',
    comesByChance: true,
    http: timely((it) => {
      if (since(it.before?.placedAt) > 3_000) fail(it, 404, 'order_not_found');
    }),
  },
  {
    name: 'an order is cancelled by itself after two seconds',
    comesByChance: true,
    http: (app) =>
      watching(app, (exchange) => {
        const { method, status, before } = exchange;
        if (method !== 'PUT' || status !== 200 || since(before?.placedAt) < 2_000) return;
        fail(exchange, 409, 'order_cancelled');
      }),
  },
  {
    name: 'a second cancellation is a 500',
    http: (app) =>
      cancelling(app, (exchange) => {
        if (exchange.before?.cancelledAt) fail(exchange, 500, 'internal_error');
      }),
  },
  {
    name: 'a second cancellation is a 200',
    http: (app) =>
      cancelling(app, (exchange) => {
        if (exchange.before?.cancelledAt) bare(exchange, 200);
      }),
  },
  {
    name: 'a second cancellation is a 400',
    http: (app) =>
      cancelling(app, (exchange) => {
        if (exchange.before?.cancelledAt) fail(exchange, 400, 'invalid_request');
      }),
  },
  {
    name: 'the next order is cancelled, too',
    http(app) {
      const hit = new Set<string>();
      return watching(app, (exchange) => {
        const { method, status, id } = exchange;
        if (method === 'DELETE' && status === 204) hit.add(`${BigInt(id) + 1n}`);
        if (method === 'PUT' && status === 200 && hit.has(id))
          fail(exchange, 409, 'order_cancelled');
      });
    },
  },
  {
    name: 'the order before is cancelled, too',
    http(app) {
      const hit = new Set<string>();
      return watching(app, (exchange) => {
        const { method, status, id } = exchange;
        if (method === 'DELETE' && status === 204) hit.add(`${BigInt(id) - 1n}`);
        if (method === 'PUT' && status === 200 && hit.has(id))
          fail(exchange, 409, 'order_cancelled');
      });
    },
  },
  { name: 'the cancellation of a shipped order is a 204', http: tooLate(accept) },
  {
    name: 'the cancellation of a shipped order is a 404',
    http: tooLate((it) => fail(it, 404, 'order_not_found')),
  },
  {
    name: 'the cancellation of a shipped order is a 403',
    http: tooLate((it) => fail(it, 403, 'forbidden')),
  },
  {
    name: 'the cancellation of a shipped order is a 422',
    http: tooLate((it) => fail(it, 422, 'unprocessable')),
  },
  {
    name: 'the cancellation of a shipped order is a 200 with the error',
    http: tooLate((it) => {
      it.status = 200;
    }),
  },
  {
    name: 'the second attempt cancels a shipped order',
    http: tooLate(every(2, accept)),
  },
  {
    name: 'every 10th cancellation of a shipped order succeeds',
    comesByChance: true,
    http: tooLate(every(10, accept)),
  },
  {
    name: 'every 100th cancellation of a shipped order succeeds',
    comesByChance: true,
    http: tooLate(every(100, accept)),
  },
  {
    name: 'a shipped order can be cancelled after a second',
    http: tooLate((it) => {
      if (since(it.before?.shippedAt) > 1_000) accept(it);
    }),
  },
  {
    name: 'a shipped order can be cancelled after three seconds',
    comesByChance: true,
    http: tooLate((it) => {
      if (since(it.before?.shippedAt) > 3_000) accept(it);
    }),
  },
  {
    name: 'an order that has shipped before 2000 can be cancelled',
    http: shippedWith(({ shipDate }) => shipDate < '2000'),
  },
  {
    name: 'a shipped order for an animal below 0 can be cancelled',
    http: shippedWith(({ petId }) => petId < 0),
  },
  {
    name: 'a shipped order of more than 1,000 can be cancelled',
    http: shippedWith(({ quantity }) => quantity > 1_000),
  },
  {
    name: 'a refused cancellation makes a shipped order pending',
    http: damaging((row) => ({ ...row, complete: false })),
  },
  { name: 'a refused cancellation removes the order', http: damaging(() => undefined) },
  {
    name: 'a refused cancellation empties the order',
    http: damaging((row) => ({ ...row, quantity: 0 })),
  },
];

export const RACES: readonly Fault[] = [
  {
    name: 'a cancellation at the same time as a shipment succeeds, too',
    http: (app) =>
      cancelling(app, (exchange) => {
        if (exchange.isRace && exchange.status === 409) bare(exchange, 204);
      }),
  },
  {
    name: 'a cancellation at the same time as a shipment is a 500',
    http: (app) =>
      cancelling(app, (exchange) => {
        if (exchange.isRace && exchange.status === 409) fail(exchange, 500, 'internal_error');
      }),
  },
  {
    name: 'every 5th cancellation that comes while an order ships succeeds, too',
    comesByChance: true,
    http(app, key) {
      const shipping = new Set<string>();
      let number = 0;
      return (req, res) => {
        const { method, url = '', headers } = req;
        const path = url.replace('/shipment', '');
        if (method === 'PUT') {
          shipping.add(path);
          res.on('close', () => shipping.delete(path));
          setTimeout(() => app(req, res), 2);
          return;
        }
        const isHit = method === 'DELETE' && shipping.has(path);
        if (isHit && headers.authorization === `Bearer ${key}`) number += 1;
        if (isHit && number % 5 === 0) res.writeHead(204).end();
        else app(req, res);
      };
    },
  },
  {
    name: 'cancellations at the same time are a 500',
    http: (app) =>
      cancelling(app, (exchange) => {
        if (exchange.isRace && exchange.status === 204) fail(exchange, 500, 'internal_error');
      }),
  },
  {
    name: 'two orders placed at the same time have one id',
    http(app) {
      let before: string | undefined;
      return watching(app, (exchange) => {
        if (exchange.method !== 'POST' || exchange.status !== 201) return;
        const { id } = exchange;
        if (exchange.isRace && before !== undefined) {
          exchange.body = exchange.body.replace(/"id":\d+/, `"id":${before}`);
        }
        before = id;
      });
    },
  },
  {
    name: 'of orders placed at the same time, one is lost',
    http(app) {
      const lost = new Set<string>();
      const listing = withEachRow(app, (row) => (lost.has(`${row.id}`) ? undefined : row));
      let number = 0;
      return watching(listing, ({ method, status, isRace, id }) => {
        if (method !== 'POST' || status !== 201 || !isRace) return;
        number += 1;
        if (number % 5 === 0) lost.add(id);
      });
    },
  },
];

function cut(
  isCut: (exchange: Watched) => boolean,
  after: (exchange: Watched) => number = () => 0,
): NonNullable<Fault['http']> {
  return (app) =>
    watching(app, (exchange) => {
      if (isCut(exchange)) exchange.cutAfter = after(exchange);
    });
}

function cutAtOnce(exchange: Watched): void {
  exchange.cutAfter = 0;
}

export const CONNECTIONS: readonly Fault[] = [
  {
    name: 'the connection ends where an order is not there',
    http: cut(({ method, status }) => method === 'DELETE' && status === 404),
  },
  {
    name: 'the connection ends where a key is wrong',
    http: cut(({ status, authorization }) => status === 401 && authorization !== undefined),
  },
  { name: 'the connection ends where a key is missing', http: cut(({ status }) => status === 401) },
  {
    name: 'the connection ends at a cancellation',
    http: cut(({ method, status }) => method === 'DELETE' && status === 204),
  },
  {
    name: 'the connection ends where an order has shipped',
    http: cut(({ method, status }) => method === 'DELETE' && status === 409),
  },
  {
    name: 'a list of more than 20 orders ends in the middle',
    http: cut(
      ({ isList, body }) => isList && body.split('},{').length > 20,
      ({ body }) => Math.floor(body.length / 2),
    ),
  },
  {
    name: 'every 100th connection ends',
    comesByChance: true,
    http: (app) => watching(app, every(100, cutAtOnce)),
  },
  {
    name: 'a malformed id ends the connection',
    http: (app) =>
      changingRequests(app, (req) => {
        if (/orders\/[^/]*[a-z][^/]*$/.test(req.url ?? '')) req.socket.resetAndDestroy();
      }),
  },
];
