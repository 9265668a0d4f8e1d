import { changingAnswers, changingRequests, type Exchange } from '../faults.ts';
import type { Fault } from './faulty.ts';

/** Faults of the list of version 2, its filters, pages and moments, which only this service promises. */

const LIST = /\/v2\/store\/orders(?:\?|$)/;

interface Page {
  data: Record<string, unknown>[];
  next: string | null;
  asOf?: number;
}

/** An application whose pages are changed. */
function paging(change: (page: Page, exchange: Exchange) => void): NonNullable<Fault['http']> {
  return (app) =>
    changingAnswers(app, (exchange) => {
      const { method, path, status } = exchange;
      if (method !== 'GET' || status !== 200 || !LIST.test(path)) return;
      const page = JSON.parse(exchange.body) as Page;
      change(page, exchange);
      exchange.body = JSON.stringify(page);
    });
}

/** An application whose pages have other orders, one by one. */
function withEachOrder(
  change: (order: Page['data'][number]) => object,
): NonNullable<Fault['http']> {
  return paging((page) => {
    page.data = page.data.map((order) => ({ ...order, ...change(order) }));
  });
}

/** Reads the queries of lists as other ones. */
function querying(change: (query: URLSearchParams) => void): NonNullable<Fault['http']> {
  return (app) =>
    changingRequests(app, (req) => {
      const [path = '', text] = (req.url ?? '').split('?');
      if (text === undefined || !LIST.test(path)) return;
      const query = new URLSearchParams(text);
      change(query);
      req.url = `${path}?${query}`;
    });
}

/** Reads the values of some parameters as other ones; `undefined` omits one. */
function reading(
  names: readonly string[],
  as: (value: string) => string | undefined,
): NonNullable<Fault['http']> {
  return querying((query) => {
    for (const name of names) {
      const value = query.get(name);
      if (value === null) continue;
      const read = as(value);
      if (read === undefined) query.delete(name);
      else query.set(name, read);
    }
  });
}

const DATES = ['shipDateFrom', 'shipDateTo', 'placedFrom', 'placedTo', 'asOf'];
const addingTo = (name: string, more: bigint) =>
  reading([name], (value) => (/^\d+$/.test(value) ? `${BigInt(value) + more}` : value));

/** Answers with `asOf` as it was asked for, whatever the list is of. */
function asAsked(http: NonNullable<Fault['http']>): NonNullable<Fault['http']> {
  return (app, key) => {
    const asked = new WeakMap<object, string>();
    const answering = paging((page, { request }) => {
      const [, position] = /asOf=(\d+)(?:&|$)/.exec(asked.get(request) ?? '') ?? [];
      if (position !== undefined) page.asOf = Number(position);
    });
    const changed = answering(http(app, key), key);
    return (req, res) => {
      asked.set(req, req.url ?? '');
      changed(req, res);
    };
  };
}

export const FILTERED_LISTS: readonly Fault[] = [
  {
    name: 'version 2 rounds animals',
    http: withEachOrder(({ petId }) => ({ petId: `${Number(petId)}` })),
  },
  { name: 'version 2 has ids as numbers', http: withEachOrder(({ id }) => ({ id: Number(id) })) },
  {
    name: 'version 2 shows cancelled orders as pending for a second',
    http: withEachOrder(({ status, cancelledAt, ...order }) => {
      const isNew = Date.now() - Date.parse(`${cancelledAt}`) < 1_000;
      return isNew ? { ...order, status: 'pending', cancelledAt: undefined } : { status };
    }),
  },
  {
    name: 'version 2 has the list as of the position before',
    http: asAsked(addingTo('asOf', -1n)),
  },
  { name: 'version 2 ignores asOf', http: asAsked(reading(['asOf'], () => undefined)) },
  {
    name: 'version 2 filters moments by the present status',
    http: querying((query) => {
      if (query.has('asOf') && query.has('status')) query.delete('asOf');
    }),
  },
  {
    name: 'version 2 drops the offset of a date',
    http: reading(DATES, (value) => value.replace(/[+-]\d\d:\d\d$/, 'Z')),
  },
  { name: 'fromId leaves out the order itself', http: addingTo('fromId', 1n) },
  { name: 'toId lets the order through, too', http: addingTo('toId', 1n) },
  {
    name: 'shipDateTo lets its end through, too',
    http: reading(['shipDateTo'], (value) => new Date(Date.parse(value) + 1).toISOString()),
  },
  { name: 'version 2 ignores complete', http: reading(['complete'], () => undefined) },
  {
    name: 'version 2 has pending orders of status cancelled',
    http: reading(['status'], (value) => (value === 'cancelled' ? 'pending' : value)),
  },
  { name: 'version 2 ignores order', http: reading(['order'], () => undefined) },
  {
    name: 'every page but the first lacks its first order',
    http: paging((page, { path }) => {
      if (path.includes('after=')) page.data.shift();
    }),
  },
  {
    name: 'every page begins with the last order of the one before',
    http: (app, key) => {
      const ends = new Map<string, Page['data']>();
      return paging((page, { path }) => {
        const [, after = ''] = /after=([\w-]+)/.exec(path) ?? [];
        page.data.unshift(...(ends.get(after) ?? []));
        if (page.next !== null) ends.set(page.next, page.data.slice(-1));
      })(app, key);
    },
  },
  {
    name: 'no page but the first has a next one',
    http: paging((page, { path, headers }) => {
      if (!path.includes('after=')) return;
      page.next = null;
      headers.link = undefined;
    }),
  },
  {
    name: 'a page has no Link',
    http: paging((_, { headers }) => {
      headers.link = undefined;
    }),
  },
  { name: 'a page has an order more than its limit', http: addingTo('limit', 1n) },
  {
    name: 'version 2 ignores parameters that it does not have',
    http: reading(['colour', 'Status'], () => undefined),
  },
  {
    name: 'version 2 reads the first of two values',
    http: querying((query) => {
      for (const name of [...query.keys()]) query.set(name, query.get(name) ?? '');
    }),
  },
];
