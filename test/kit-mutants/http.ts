import { changingAnswers, changingLists, changingRequests, over } from './faults.ts';
import type { Mutant } from './mutated.ts';

/** Wrong answers over HTTP, and people let in who should not be. */
export const WRONG_ANSWERS: readonly Mutant[] = [
  {
    name: 'a revoked key still works',
    keys: (keys) =>
      over(keys, {
        async find(id) {
          const { revokedAt: _, ...key } = (await keys.find(id)) ?? { revokedAt: undefined };
          return 'id' in key ? key : undefined;
        },
      }),
  },
  {
    name: 'any key with a known id is let in',
    http: (app, key) =>
      changingRequests(app, ({ headers }) => {
        const isSimilar = headers.authorization?.startsWith(`Bearer ${key.slice(0, 14)}`);
        if (isSimilar) headers.authorization = `Bearer ${key}`;
      }),
  },
  {
    name: 'cancelling needs no key',
    http: (app, key) =>
      changingRequests(app, ({ method, headers }) => {
        if (method === 'DELETE') headers.authorization ??= `Bearer ${key}`;
      }),
  },
  {
    name: 'listing needs no key',
    http: (app, key) =>
      changingRequests(app, ({ method, headers }) => {
        if (method === 'GET') headers.authorization ??= `Bearer ${key}`;
      }),
  },
  {
    name: 'without a key, a 404 comes before the 401',
    http(app) {
      // Nobody has the id that is asked for here: all orders have positive ones.
      const isUnknown = /\/store\/orders\/(?:-\d+|0|\d{10,})$/;
      return changingAnswers(app, (exchange) => {
        if (exchange.status !== 401 || !isUnknown.test(exchange.path)) return;
        exchange.status = 404;
        exchange.body = '{"code":"order_not_found","message":"There is none.","status":404}';
      });
    },
  },
  {
    name: 'a shipped order is a 400 instead of a 409',
    http: (app) =>
      changingAnswers(app, (exchange) => {
        if (exchange.status !== 409 || !exchange.body.includes('order_already_shipped')) return;
        exchange.status = 400;
        exchange.body = exchange.body.replace('409', '400');
      }),
  },
  {
    name: 'errors have no status',
    http: (app) =>
      changingAnswers(app, (exchange) => {
        if (exchange.status >= 400) exchange.body = exchange.body.replace(/,"status":\d+/, '');
      }),
  },
  {
    name: 'errors are plain text',
    http: (app) =>
      changingAnswers(app, (exchange) => {
        if (exchange.status >= 400) exchange.body = 'No.';
      }),
  },
  {
    name: 'a cancellation is a 200 with a body',
    http: (app) =>
      changingAnswers(app, (exchange) => {
        if (exchange.method !== 'DELETE' || exchange.status !== 204) return;
        exchange.status = 200;
        exchange.body = '{"cancelled":true}';
      }),
  },
  {
    name: 'the list forgets cancelled orders',
    http(app) {
      const cancelled = new Set<string>();
      const listing = changingLists(app, (orders) => {
        return orders.filter((order) => !cancelled.has(/"id":(-?\d+)/.exec(order)?.[1] as string));
      });
      return changingAnswers(listing, ({ method, path, status }) => {
        if (method === 'DELETE' && status === 204) cancelled.add(path.split('/').at(-1) as string);
      });
    },
  },
  {
    name: 'a pending order is complete',
    http: (app) =>
      changingLists(app, (orders) => orders.map((order) => order.replace(':false}', ':true}'))),
  },
  {
    name: 'the list is not sorted',
    http: (app) => changingLists(app, (orders) => orders.toReversed()),
  },
  {
    name: 'an order is in the list twice',
    http: (app) => changingLists(app, (orders) => [...orders, ...orders.slice(-1)]),
  },
  {
    name: 'the list ends after ten orders',
    http: (app) => changingLists(app, (orders) => orders.slice(0, 10)),
  },
  {
    name: 'the list has ids as texts',
    http: (app) =>
      changingLists(app, (orders) =>
        orders.map((order) => order.replace(/"id":(\d+)/, '"id":"$1"')),
      ),
  },
  {
    name: 'a new order is given the id of the one before',
    http(app) {
      let before: string | undefined;
      return changingAnswers(app, (exchange) => {
        if (exchange.method !== 'POST' || exchange.status !== 201) return;
        const id = /"id":(\d+)/.exec(exchange.body)?.[1] as string;
        exchange.body = exchange.body.replace(/"id":\d+/, `"id":${before ?? id}`);
        before = id;
      });
    },
  },
];
