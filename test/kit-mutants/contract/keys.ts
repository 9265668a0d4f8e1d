import type { IncomingMessage, RequestListener } from 'node:http';
import { changingAnswers, changingRequests, type Exchange } from '../faults.ts';
import { admitting, bare, type Fault } from './faulty.ts';

/** Faults of authentication. */

const LIST = ['GET'];
const CANCEL = ['DELETE'];
const ALL = ['GET', 'DELETE', 'POST', 'PUT'];

const isAbsent = (authorization: string | undefined) => authorization === undefined;
const isAny = (authorization: string | undefined) => authorization !== undefined;
const isBasic = (authorization: string | undefined, key: string) =>
  authorization === `Basic ${key}`;
const endsWithKey = (authorization = '', key: string) => authorization.endsWith(` ${key}`);
const isBearer = (authorization: string | undefined) => authorization === 'Bearer';
const isBare = (authorization: string | undefined, key: string) => authorization === key;

/** Compares keys in a form that other texts have, too. */
function reading(formOf: (text: string) => string): NonNullable<Fault['http']> {
  return admitting(ALL, (authorization, key) => {
    const [, text] = /^Bearer (\S+)$/.exec(authorization ?? '') ?? [];
    return text !== undefined && formOf(text) === formOf(key);
  });
}

/** Changes refusals for want of a key. */
function refusing(change: (exchange: Exchange) => void): NonNullable<Fault['http']> {
  return (app) =>
    changingAnswers(app, (exchange) => {
      if (exchange.status === 401) change(exchange);
    });
}

/** Does what was asked for without a valid key, and answers 401 nevertheless. */
function doing(method: string, isDone: (authorization?: string) => boolean) {
  return (app: RequestListener, key: string): RequestListener => {
    const refused = new WeakSet<object>();
    const changed = changingAnswers(app, (exchange) => {
      if (!refused.has(exchange.request)) return;
      exchange.status = 401;
      exchange.body = '{"code":"unauthorized","message":"The key is not valid.","status":401}';
      exchange.headers['content-type'] = 'application/json';
    });
    return changingRequests(changed, (req) => {
      const { authorization } = req.headers;
      if (req.method !== method || authorization === `Bearer ${key}`) return;
      if (!isDone(authorization)) return;
      refused.add(req);
      req.headers.authorization = `Bearer ${key}`;
    });
  };
}

/** Takes more requests for requests with the key. */
function admittingIf(
  isAdmitted: (req: IncomingMessage, key: string) => boolean,
): NonNullable<Fault['http']> {
  return (app, key) =>
    changingRequests(app, (req) => {
      if (isAdmitted(req, key)) req.headers.authorization = `Bearer ${key}`;
    });
}

/** Reads some paths as other ones, after the check of keys has passed them over. */
function respelling(as: (url: string) => string): NonNullable<Fault['http']> {
  return (app, key) =>
    changingRequests(app, (req) => {
      const url = as(req.url ?? '');
      if (url !== req.url) req.headers.authorization = `Bearer ${key}`;
      req.url = url;
    });
}

const METHODS_OF_CHANGES = ['POST', 'PUT', 'DELETE'] as const;

export const KEYS: readonly Fault[] = [
  { name: 'listing needs no key', http: admitting(LIST, isAbsent) },
  { name: 'cancelling needs no key', http: admitting(CANCEL, isAbsent) },
  { name: 'placing needs no key', http: admitting(['POST'], isAbsent) },
  { name: 'shipping needs no key', http: admitting(['PUT'], isAbsent) },
  { name: 'any key may list', http: admitting(LIST, isAny) },
  { name: 'any key may cancel', http: admitting(CANCEL, isAny) },
  { name: 'any key may place', http: admitting(['POST'], isAny) },
  { name: 'any key may ship', http: admitting(['PUT'], isAny) },
  {
    name: 'any key may get one order',
    http: (app, key) =>
      changingRequests(app, ({ method, url = '', headers }) => {
        if (method === 'GET' && /\d$/.test(url)) headers.authorization = `Bearer ${key}`;
      }),
  },
  { name: 'Basic with the key may list', http: admitting(LIST, isBasic) },
  { name: 'Basic with the key may cancel', http: admitting(CANCEL, isBasic) },
  { name: 'any scheme with the key may list', http: admitting(LIST, endsWithKey) },
  { name: 'any scheme with the key may cancel', http: admitting(CANCEL, endsWithKey) },
  { name: 'the key alone may list', http: admitting(LIST, isBare) },
  { name: 'the key alone may cancel', http: admitting(CANCEL, isBare) },
  { name: '"Bearer" alone may list', http: admitting(LIST, isBearer) },
  { name: '"Bearer" alone may cancel', http: admitting(CANCEL, isBearer) },
  {
    name: 'the beginning of the key is enough',
    http: admitting(ALL, (text = '', key) => text.startsWith(`Bearer ${key.slice(0, 14)}`)),
  },
  {
    name: 'the key may be followed by anything',
    http: admitting(ALL, (text = '', key) => text.startsWith(`Bearer ${key}`)),
  },
  {
    name: 'the last character of the key does not matter',
    http: admitting(ALL, (text = '', key) => text.startsWith(`Bearer ${key.slice(0, -1)}`)),
  },
  {
    name: 'the end of the key is enough',
    http: admitting(ALL, (text = '', key) => text.endsWith(key.slice(-10))),
  },
  {
    name: 'the key may be anywhere in the header',
    http: admitting(ALL, (text = '', key) => text.includes(key)),
  },
  {
    name: 'the key may be a password',
    http: admitting(ALL, (text = '', key) => {
      return (
        text.startsWith('Basic ') && Buffer.from(text.slice(6), 'base64').toString().endsWith(key)
      );
    }),
  },
  { name: 'the case of a key does not matter', http: reading((text) => text.toLowerCase()) },
  { name: 'keys are percent-decoded', http: reading(decodeURIComponent) },
  { name: 'keys are compared without padding', http: reading((text) => text.replace(/=+$/, '')) },
  {
    name: 'a revoked key may list in small letters',
    http: admitting(LIST, (text = '', key) => {
      const isSmall = text.length === key.length + 7 && /^Bearer sto_[^A-Z]+$/.test(text);
      return isSmall && text !== `Bearer ${key.toLowerCase()}`;
    }),
  },
  { name: 'a missing key is a 403', http: refusing((exchange) => bare(exchange, 403)) },
  {
    name: 'a wrong key is a 403 on cancellations',
    http: refusing((exchange) => {
      if (exchange.method !== 'DELETE' || exchange.authorization === undefined) return;
      exchange.status = 403;
      exchange.body = exchange.body.replace('401', '403');
    }),
  },
  {
    name: 'a missing key is a 400',
    http: refusing((exchange) => {
      exchange.status = 400;
      exchange.body = exchange.body.replace('401', '400');
    }),
  },
  { name: 'a 401 has no body', http: refusing((exchange) => bare(exchange, 401)) },
  {
    name: 'a 401 of a cancellation has no body',
    http: refusing((exchange) => {
      if (exchange.method === 'DELETE') bare(exchange, 401);
    }),
  },
  {
    name: 'a 401 of a wrong key has no body',
    http: refusing((exchange) => {
      if (exchange.authorization !== undefined) bare(exchange, 401);
    }),
  },
  {
    name: 'a 401 is a page of HTML',
    http: refusing((exchange) => {
      exchange.body = '<h1>Unauthorized</h1>';
      exchange.headers['content-type'] = 'text/html';
    }),
  },
  {
    name: 'a 401 has the content type of a text',
    http: refusing(({ headers }) => {
      headers['content-type'] = 'text/plain';
    }),
  },
  {
    name: 'a 401 has another status in its body',
    http: refusing((exchange) => {
      exchange.body = exchange.body.replace('401', '403');
    }),
  },
  {
    name: 'a 401 has no code',
    http: refusing((exchange) => {
      exchange.body = exchange.body.replace(/"code":"\w+",/, '');
    }),
  },
  {
    name: 'a 401 has no message',
    http: refusing((exchange) => {
      exchange.body = exchange.body.replace(/"message":"(?:[^"\\]|\\.)*",/, '');
    }),
  },
  {
    name: 'a 401 has its status as a text',
    http: refusing((exchange) => {
      exchange.body = exchange.body.replace('401', '"401"');
    }),
  },
  {
    name: 'with a wrong key, a 404 comes before the 401',
    http: refusing((exchange) => {
      if (exchange.authorization === undefined) return;
      if (exchange.method !== 'DELETE' || !/\/(?:-\d+|0|\d{10,})$/.test(exchange.path)) return;
      exchange.status = 404;
      exchange.body = '{"code":"order_not_found","message":"There is none.","status":404}';
    }),
  },
  { name: 'without a key, a 401 cancels all the same', http: doing('DELETE', isAbsent) },
  { name: 'with a wrong key, a 401 cancels all the same', http: doing('DELETE', isAny) },
  { name: 'with a wrong key, a 401 places all the same', http: doing('POST', isAny) },
  { name: 'with a wrong key, a 401 ships all the same', http: doing('PUT', isAny) },
  {
    name: 'a condition needs no key',
    http: admittingIf(({ headers }) => 'if-none-match' in headers),
  },
  {
    name: 'a condition of a cancellation needs no key',
    http: admittingIf(({ headers }) => 'if-match' in headers),
  },
  {
    name: 'a condition on one order needs no key',
    http: admittingIf(({ url, headers }) => /\d$/.test(url ?? '') && 'if-none-match' in headers),
  },
  {
    name: 'a date in a condition needs no key',
    http: admittingIf(({ headers }) => 'if-modified-since' in headers),
  },
  { name: 'a range needs no key', http: admittingIf(({ headers }) => 'range' in headers) },
  {
    name: 'requests from a page of the same machine need no key',
    http: admittingIf(({ headers }) => headers.origin?.startsWith('http://127.0.0.1') ?? false),
  },
  {
    name: 'requests that a proxy says to be local need no key',
    http: admittingIf(({ headers }) => headers['x-forwarded-for'] === '127.0.0.1'),
  },
  { name: 'HEAD needs no key', http: admitting(['HEAD'], () => true) },
  { name: 'a query needs no key', http: admittingIf(({ url }) => url?.includes('?') ?? false) },
  {
    name: 'a query of a cancellation needs no key',
    http: admittingIf(({ method, url }) => method === 'DELETE' && (url?.includes('?') ?? false)),
  },
  {
    name: 'the list with a slash behind it needs no key',
    http: respelling((url) => url.replace(/orders\/$/, 'orders')),
  },
  {
    name: 'the list in capitals needs no key',
    http: respelling((url) => url.replace('/STORE/ORDERS', '/store/orders')),
  },
  {
    name: 'the key may be in X-API-Key',
    http: admittingIf(({ headers }, key) => headers['x-api-key'] === key),
  },
  {
    name: 'the key may be in a cookie',
    http: admittingIf(({ headers }, key) => headers.cookie?.includes(`token=${key}`) ?? false),
  },
  {
    name: 'the key may be in a cookie of a cancellation',
    http: admittingIf(({ method, headers }, key) => {
      return method === 'DELETE' && (headers.cookie?.includes(`session=${key}`) ?? false);
    }),
  },
  {
    name: 'the key may be in the query',
    http: admittingIf(({ url }, key) => url?.includes(`access_token=${key}`) ?? false),
  },
  ...METHODS_OF_CHANGES.map((method) => ({
    name: `an answer to ${method} that is kept under an Idempotency-Key needs no key`,
    http: (app: RequestListener, key: string) => {
      const kept = new Set<unknown>();
      return admittingIf((req, key) => {
        if (req.method !== method) return false;
        const name = req.headers['idempotency-key'];
        if (req.headers.authorization === `Bearer ${key}`) kept.add(name);
        return name !== undefined && kept.has(name);
      })(app, key);
    },
  })),
  {
    name: 'a refusal for want of a key is kept under an Idempotency-Key',
    http(app, key) {
      const refused = new Set<unknown>();
      return changingRequests(app, ({ method, headers }) => {
        const name = headers['idempotency-key'];
        if (method !== 'POST' || name === undefined) return;
        if (headers.authorization !== `Bearer ${key}`) refused.add(name);
        else if (refused.has(name)) delete headers.authorization;
      });
    },
  },
];
