import { createHash } from 'node:crypto';
import { changingAnswers, changingRequests, type Exchange } from '../faults.ts';
import { bare, type Fault, fail, type Watched, watching } from './faulty.ts';

/** Faults of ETags and conditions, which only this service promises. */

const isList = ({ path }: Exchange) => path.endsWith('/store/orders');
const isOne = ({ path }: Exchange) => /\d$/.test(path);

/** Sends other ETags, and a 304 to a client that has this one. */
export function tagging(
  isHit: (exchange: Exchange) => boolean,
  tagOf: (exchange: Exchange) => string,
): NonNullable<Fault['http']> {
  return (app) =>
    changingAnswers(app, (exchange) => {
      const { method, status, request, headers } = exchange;
      if (method !== 'GET' || status !== 200 || !isHit(exchange)) return;
      headers.etag = tagOf(exchange);
      const known = (request.headers['if-none-match'] ?? '').split(',').map(opaque);
      if (known.includes(opaque(headers.etag))) bare(exchange, 304);
    });
}

/** Returns an ETag without the mark of a weak one, which If-None-Match does not compare. */
function opaque(tag: string): string {
  return tag.trim().replace(/^W\//, '');
}

export function digestOf({ body }: Exchange): string {
  return `"${createHash('sha256').update(body).digest('hex')}"`;
}

/** Sends another ETag each time. */
function renewing(isHit: (exchange: Exchange) => boolean): NonNullable<Fault['http']> {
  let number = 0;
  return tagging(isHit, () => {
    number += 1;
    return `"${number}"`;
  });
}

/** Does not read a condition of requests with these methods. */
function ignoring(
  name: 'if-match' | 'if-none-match',
  methods: readonly string[],
): NonNullable<Fault['http']> {
  return (app) =>
    changingRequests(app, ({ method = '', headers }) => {
      if (methods.includes(method)) delete headers[name];
    });
}

/** Reads the conditions of requests as other ones; `undefined` omits one. */
function reading(
  name: 'if-match' | 'if-none-match',
  as: (condition: string) => string | undefined,
): NonNullable<Fault['http']> {
  return (app) =>
    changingRequests(app, ({ headers }) => {
      const condition = headers[name];
      if (condition !== undefined) headers[name] = as(condition);
    });
}

/** Refuses commands for their condition which another answer is due to. */
function refusing(isHit: (exchange: Watched) => boolean): NonNullable<Fault['http']> {
  return (app) =>
    watching(app, (exchange) => {
      const { 'if-match': tag = '*' } = exchange.request.headers;
      if (tag !== '*' && isHit(exchange)) fail(exchange, 412, 'precondition_failed');
    });
}

const firstOf = (condition: string) => condition.split(',')[0];

export const CONDITIONS: readonly Fault[] = [
  {
    name: 'the ETag of the list is the number of its orders',
    http: tagging(isList, ({ body }) => `"${body.split('"id"').length - 1}"`),
  },
  {
    name: 'the ETag of the list is the number of its shipped orders',
    http: tagging(isList, ({ body }) => `"${body.split('"complete":true').length - 1}"`),
  },
  { name: 'the list has another ETag each time', http: renewing(isList) },
  {
    name: 'the ETag of the list has no quotes',
    http: tagging(isList, (it) => digestOf(it).slice(1, -1)),
  },
  { name: 'an order keeps its ETag for good', http: tagging(isOne, ({ path }) => `"${path}"`) },
  { name: 'an order has another ETag each time', http: renewing(isOne) },
  { name: 'a cancellation does not change the ETag of its order', http: tagging(isOne, digestOf) },
  {
    name: 'a refused cancellation changes the ETag of its order',
    http(app, key) {
      const refused = new Map<string, number>();
      const tagged = tagging(isOne, ({ path, headers }) => {
        return `"${String(headers.etag).slice(1, -1)}-${refused.get(path) ?? 0}"`;
      });
      return changingAnswers(tagged(app, key), ({ method, path, status }) => {
        if (method === 'DELETE' && status === 409) refused.set(path, (refused.get(path) ?? 0) + 1);
      });
    },
  },
  {
    name: 'a repeated command changes the ETag of its order',
    http(app, key) {
      const done = new Map<string, number>();
      const tagged = tagging(isOne, ({ path, headers }) => {
        return `"${String(headers.etag).slice(1, -1)}-${done.get(path) ?? 0}"`;
      });
      return changingAnswers(tagged(app, key), ({ method, path, status }) => {
        const isDone = method === 'DELETE' ? status === 204 : method === 'PUT' && status === 200;
        const one = path.replace('/shipment', '');
        if (isDone) done.set(one, (done.get(one) ?? 0) + 1);
      });
    },
  },
  {
    name: 'a compressed list with a condition is a 304',
    http: (app, key) => (req, res) => {
      const { authorization, 'accept-encoding': coding, 'if-none-match': tag } = req.headers;
      const isHit = req.method === 'GET' && req.url?.endsWith('/store/orders') && coding === 'gzip';
      if (isHit && tag && authorization === `Bearer ${key}`)
        res.writeHead(304, { etag: tag }).end();
      else app(req, res);
    },
  },
  {
    name: 'HEAD of one order is a 405',
    http: (app) =>
      changingAnswers(app, (exchange) => {
        if (exchange.method === 'HEAD' && isOne(exchange)) bare(exchange, 405);
      }),
  },
  { name: 'If-Match is ignored', http: ignoring('if-match', ['DELETE', 'PUT']) },
  { name: 'If-Match is ignored by cancellations', http: ignoring('if-match', ['DELETE']) },
  { name: 'If-Match is ignored by shipments', http: ignoring('if-match', ['PUT']) },
  { name: 'If-Match is ignored by placements', http: ignoring('if-match', ['POST']) },
  { name: 'If-None-Match is ignored by placements', http: ignoring('if-none-match', ['POST']) },
  {
    name: 'If-None-Match is ignored by cancellations',
    http: ignoring('if-none-match', ['DELETE']),
  },
  {
    name: 'no If-Match holds',
    http: (app) =>
      changingRequests(app, ({ headers }) => {
        if (headers['if-match'] !== undefined) headers['if-match'] = '"another"';
      }),
  },
  {
    name: 'a command that is a 412 is carried out all the same',
    http(app) {
      const refused = new WeakSet<object>();
      const changed = changingAnswers(app, (exchange) => {
        if (refused.has(exchange.request)) fail(exchange, 412, 'precondition_failed');
      });
      return changingRequests(changed, (req) => {
        const { 'if-match': tag = '' } = req.headers;
        if (!tag.includes('made-this-up')) return;
        refused.add(req);
        delete req.headers['if-match'];
      });
    },
  },
  {
    name: 'If-Match comes before the state of an order',
    http: refusing(({ status }) => status === 409),
  },
  {
    name: 'with If-Match, an order that is not there is a 412',
    http: refusing(({ status }) => status === 404),
  },
  {
    name: 'a cancellation repeated with its If-Match is a 412',
    http: refusing(({ method, status, before }) => {
      return method === 'DELETE' && status === 204 && before?.cancelledAt !== undefined;
    }),
  },
  { name: 'only the first ETag of If-Match counts', http: reading('if-match', firstOf) },
  { name: 'only the first ETag of If-None-Match counts', http: reading('if-none-match', firstOf) },
  {
    name: 'a weak ETag in If-Match matches',
    http: reading('if-match', (condition) => condition.replaceAll('W/', '')),
  },
  {
    name: 'a weak ETag in If-None-Match matches nothing',
    http: reading('if-none-match', (condition) => condition.replaceAll('W/"', 'W/"weak-')),
  },
  {
    name: 'If-Match: * matches nothing',
    http: reading('if-match', (condition) => condition.replace(/^\*$/, '"*"')),
  },
  {
    name: 'If-None-Match: * is ignored',
    http: reading('if-none-match', (condition) => (condition === '*' ? undefined : condition)),
  },
];
