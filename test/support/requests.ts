import fc, { type Arbitrary } from 'fast-check';
import { EVENT_TYPES } from '../../src/app/log/recorded-event.ts';
import { CANCEL_REASONS } from '../../src/domain/order.ts';
import { STATUSES } from '../../src/domain/order-lives.ts';
import { int64s } from '../kit/arbitraries.ts';
import { texts } from './arbitraries.ts';
import type { Sent } from './http.ts';

/**
 * Arbitraries of requests that a client may send by design, by mistake or out of malice: a valid
 * request of any operation, with up to three changes.
 */

/** A request in its parts, before it is serialized. */
interface Draft {
  readonly method: string;
  readonly segments: readonly string[];
  readonly query: readonly (readonly [name: string, value: string])[];
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

type Change = (draft: Draft) => Draft;

export interface Known {
  readonly key: string;
  /** An API key without scopes. */
  readonly weakKey: string;
}

const DATES = [
  '2026-01-01T00:00:00Z',
  '2026-01-01T01:30:00.5+01:30',
  '2020-02-29T23:59:59.999999-00:00',
  '9999-12-31T23:59:59.999Z',
];
const BAD_DATES = [
  '2026-02-29T00:00:00Z',
  '2026-01-01',
  '2026-01-01T24:00:00Z',
  '2026-01-01T00:00:60Z',
  '0000-01-01T00:00:00+00:01',
  '9999-12-31T23:59:59-00:01',
  '2026-01-01T00:00:00+24:00',
  '2026-01-01 00:00:00Z',
  '',
];
const dates = fc.constantFrom(...DATES);
const anyDates = fc.oneof(dates, fc.constantFrom(...BAD_DATES), texts);

const fewIds = fc.integer({ min: 1, max: 40 }).map(String);
const ids = fc.oneof({ weight: 3, arbitrary: fewIds }, int64s.map(String));
const BAD_IDS = [
  '',
  '-0',
  '01',
  '+1',
  '1.0',
  '1e3',
  '0x1',
  '1n',
  '9223372036854775808',
  '-9223372036854775809',
  '%31',
  '%',
  '%zz',
  '%00',
  '%2F',
  '..',
  '.',
  '%2e%2e',
  '%F0%9F%90%B6',
  '9'.repeat(400),
  '__proto__',
  'shipment',
];
const anyIds = fc.oneof(ids, fc.constantFrom(...BAD_IDS), texts.map(encodeURIComponentSafely));

const quantities = fc.constantFrom('1', '2', '2147483647');

// Strings may contain half of a surrogate pair, which has no UTF-8 form.
function encodeURIComponentSafely(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

// Valid requests.

const bodyOfPlace = fc
  .tuple(ids, quantities, fc.option(dates, { nil: undefined }))
  .map(([petId, quantity, date]) => {
    const shipDate = date === undefined ? '' : `,"shipDate":"${date}"`;
    return `{"petId":${petId},"quantity":${quantity}${shipDate}}`;
  });
const bodyOfShip = dates.map((date) => `{"shipDate":"${date}"}`);

const FILTERS: Readonly<Record<string, Arbitrary<string>>> = {
  status: fc.constantFrom(...STATUSES),
  petId: ids,
  complete: fc.constantFrom('true', 'false'),
  shipDateFrom: dates,
  shipDateTo: dates,
  placedFrom: dates,
  placedTo: dates,
  asOf: fc.oneof(fc.constantFrom('0', '1', '2', '40', '4294967295'), dates),
  limit: fc.constantFrom('1', '7', '1000'),
  // The cursor after a first page of two orders without filters, if the second order has the id 2.
  after: fc.constantFrom('AQAAAAAAAAACH3xhwQ', 'AQAAAAAAAAACH3xhwA'),
};
const EVENT_FILTERS: Readonly<Record<string, Arbitrary<string>>> = {
  type: fc.constantFrom(...EVENT_TYPES),
  limit: fc.constantFrom('1', '7', '1000'),
  after: fc.oneof(fewIds, fc.constantFrom('0', '4294967295')),
};
const names = Object.keys({ ...FILTERS, ...EVENT_FILTERS });

/** Draws a query with some of these parameters. */
function queryOf(parameters: Readonly<Record<string, Arbitrary<string>>>) {
  return fc
    .uniqueArray(fc.constantFrom(...Object.entries(parameters)), {
      maxLength: 4,
      selector: ([name]) => name,
    })
    .chain((chosen) =>
      fc.tuple(...chosen.map(([name, value]) => value.map((text) => [name, text] as const))),
    );
}

function draftOf(
  version: string,
  method: string,
  segments: readonly string[],
  more: { query?: Draft['query']; body?: string } = {},
): Draft {
  const { query = [], body } = more;
  const type = body === undefined ? {} : { 'Content-Type': 'application/json' };
  return {
    method,
    segments: [version, ...segments],
    query,
    headers: type as Draft['headers'],
    body,
  };
}

const ORDERS = ['store', 'orders'];
const versions = fc.constantFrom('v1', 'v2');
const good: Arbitrary<Draft> = fc.oneof(
  { weight: 1, arbitrary: fc.constant(draftOf('v1', 'GET', ORDERS)) },
  {
    weight: 6,
    arbitrary: queryOf(FILTERS).map((query) => draftOf('v2', 'GET', ORDERS, { query })),
  },
  {
    weight: 4,
    arbitrary: fc
      .tuple(versions, bodyOfPlace)
      .map(([version, body]) => draftOf(version, 'POST', ORDERS, { body })),
  },
  {
    weight: 3,
    arbitrary: fc.tuple(versions, ids).map(([v, id]) => draftOf(v, 'GET', [...ORDERS, id])),
  },
  {
    weight: 4,
    arbitrary: fc.tuple(versions, ids).map(([v, id]) => draftOf(v, 'DELETE', [...ORDERS, id])),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(versions, ids, bodyOfShip)
      .map(([v, id, body]) => draftOf(v, 'PUT', [...ORDERS, id, 'shipment'], { body })),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(ids, fc.constantFrom(...CANCEL_REASONS))
      .map(([id, reason]) =>
        draftOf('v2', 'PUT', [...ORDERS, id, 'cancellation'], { body: `{"reason":"${reason}"}` }),
      ),
  },
  {
    weight: 3,
    arbitrary: fc.array(ids, { minLength: 1, maxLength: 3 }).map((orderIds) =>
      draftOf('v2', 'POST', ['store', 'orders:batchCancel'], {
        body: JSON.stringify({ orderIds }),
      }),
    ),
  },
  { weight: 1, arbitrary: fc.constant(draftOf('v2', 'GET', ['store', 'summary'])) },
  { weight: 1, arbitrary: fc.constant(draftOf('v2', 'GET', ['store', 'activity'])) },
  { weight: 2, arbitrary: ids.map((id) => draftOf('v1', 'GET', ['pets', id])) },
  { weight: 2, arbitrary: ids.map((id) => draftOf('v1', 'GET', [...ORDERS, id, 'events'])) },
  {
    weight: 3,
    arbitrary: queryOf(EVENT_FILTERS).map((query) =>
      draftOf('v1', 'GET', ['store', 'events'], { query }),
    ),
  },
  { weight: 2, arbitrary: ids.map((id) => draftOf('v1', 'GET', [...ORDERS, id, 'receipt'])) },
  {
    weight: 2,
    arbitrary: fewIds.map((id) => draftOf('v1', 'GET', ['store', 'events', id, 'receipt'])),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(
        fc.constantFrom(['inclusion', 'position', 'size'], ['consistency', 'from', 'to']),
        fewIds,
        fewIds,
      )
      .map(([[proof = '', one = '', other = ''], a, b]) => {
        const query = [[one, a] as const, [other, b] as const];
        return draftOf('v1', 'GET', ['store', 'proofs', proof], { query });
      }),
  },
  { weight: 1, arbitrary: fc.constant(draftOf('v1', 'GET', ['store', 'checkpoint'])) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom(
        ['public-key'],
        ['openapi', 'v1.json'],
        ['openapi', 'v2.json'],
        ['livez'],
        ['readyz'],
      )
      .map((segments) => ({ ...draftOf('', 'GET', []), segments })),
  },
);

// Changes.

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'QUERY'];
const methodChange = fc.constantFrom(...METHODS).map((method): Change => {
  return (draft) => ({ ...draft, method });
});

const idChange = anyIds.map((id): Change => {
  return (draft) => ({
    ...draft,
    segments: draft.segments.map((segment) => (/^-?\d+$/.test(segment) ? id : segment)),
  });
});

const segments = fc.oneof(
  fc.constantFrom(
    '',
    'V1',
    'v2',
    'v3',
    'store',
    'Orders',
    'orders',
    'shipment',
    'events',
    'receipt',
    'proofs',
    'checkpoint',
    'pets',
    '%6frders',
  ),
  anyIds,
);
const pathChange = fc
  .tuple(fc.nat(5), fc.nat(1), fc.array(segments, { maxLength: 2 }))
  .map(([at, removed, added]): Change => {
    return (draft) => ({ ...draft, segments: draft.segments.toSpliced(at, removed, ...added) });
  });

const queryNames = fc.oneof(fc.constantFrom(...names), texts.map(encodeURIComponentSafely));
const queryValues = fc.oneof(
  fc.constantFrom('', '0', '1001', '-1', '1e2', 'true', 'PENDING', '%', '%zz', '%00', 'a=b', '+1'),
  anyIds,
  anyDates.map(encodeURIComponentSafely),
  dates,
  texts.map(encodeURIComponentSafely),
);
const queryChange = fc.tuple(queryNames, queryValues).map((pair): Change => {
  return (draft) => ({ ...draft, query: [...draft.query, pair] });
});

const headerValues: Readonly<Record<string, readonly string[]>> = {
  Authorization: [
    '',
    'Bearer',
    'Bearer x',
    'Basic eDp5',
    'Bearer  ',
    `Bearer ${'x'.repeat(4_000)}`,
  ],
  'Content-Type': [
    '',
    'text/plain',
    'application/json; charset=utf-8',
    'application/json;charset=utf-16',
    'application/xml',
    '*/*',
  ],
  'Content-Encoding': ['identity', 'gzip', 'x'],
  'If-None-Match': ['*', '"x"', 'W/"x"', '', '"x", *', ',,,'],
  'If-Match': ['*', '"x"', 'W/"x"', 'x', '', ','],
  'If-Modified-Since': ['Fri, 31 Dec 2027 23:59:59 GMT'],
  'Accept-Encoding': ['gzip', 'br', 'identity;q=0', '*;q=0', 'gzip;q=2', ''],
  Accept: ['text/html', 'application/xml', ''],
  Range: ['bytes=0-1'],
  'Last-Event-ID': ['0', '7', '', '-1', 'x', '4294967296', '2251799813685248'],
  Origin: ['https://shop.example.com', 'null'],
  'Access-Control-Request-Method': ['PUT'],
  'X-Request-Id': ['mine'],
  'X-HTTP-Method-Override': ['DELETE'],
  'Idempotency-Key': ['"k"', 'k', 'a b', '', 'x'.repeat(256)],
  'Cache-Control': ['no-cache'],
  Cookie: ['a=b'],
};
const headerChange = fc
  .constantFrom(...Object.entries(headerValues))
  .chain(([name, values]) => fc.constantFrom(...values).map((value) => [name, value] as const))
  .map(([name, value]): Change => {
    return (draft) => ({ ...draft, headers: { ...draft.headers, [name]: value } });
  });

const values = fc.oneof(
  fc.constantFrom('null', 'true', '[]', '{}', '0', '-1', '1.5', '1.0', '1e3', '-0', '2147483648'),
  fc.constantFrom('9223372036854775807', '9223372036854775808', '""', '[[[]]]', '01', 'NaN', ''),
  anyDates.map((date) => JSON.stringify(date)),
  texts.map((text) => JSON.stringify(text)),
  ids,
);
const properties = fc.oneof(
  fc.constantFrom('petId', 'quantity', 'shipDate', 'id', 'complete', '__proto__', 'toString', ''),
  texts,
);
const bodyChange: Arbitrary<Change> = fc.oneof(
  // An additional property at the end, where it overrides an earlier one.
  fc.tuple(properties, values).map(([name, value]): Change => {
    const member = `,${JSON.stringify(name)}:${value}}`;
    return (draft) => ({ ...draft, body: draft.body?.replace(/\}$/, member) });
  }),
  fc.tuple(fc.nat(2), values).map(([at, value]): Change => {
    let seen = -1;
    const replaced = (text: string) => {
      seen += 1;
      return seen === at ? `:${value}` : text;
    };
    return (draft) => {
      seen = -1;
      return { ...draft, body: draft.body?.replaceAll(/:(?:"[^"]*"|-?\d+)/g, replaced) };
    };
  }),
  fc.nat(80).map((length): Change => {
    return (draft) => ({ ...draft, body: draft.body?.slice(0, length) });
  }),
  fc.oneof(values, texts).map(
    (body): Change =>
      (draft) => ({ ...draft, body }),
  ),
  fc.constant<Change>((draft) => ({ ...draft, body: `${draft.body ?? ''}${' '.repeat(16_400)}` })),
);

// Frequent, so that every run has responses of 304, 412 and 422.
const conditions: Readonly<Record<string, string>>[] = [
  { 'If-None-Match': '*' },
  { 'If-Match': '"x"' },
  { 'Idempotency-Key': 'k' },
];
const conditionChange = fc.constantFrom(...conditions).map((condition): Change => {
  return (draft) => ({ ...draft, headers: { ...draft.headers, ...condition } });
});

const change: Arbitrary<Change> = fc.oneof(
  { weight: 2, arbitrary: conditionChange },
  methodChange,
  idChange,
  pathChange,
  { weight: 2, arbitrary: queryChange },
  { weight: 2, arbitrary: headerChange },
  { weight: 3, arbitrary: bodyChange },
);

/** Draws any request: a valid one, or one with up to three changes. */
export function requests({ key, weakKey }: Known): Arbitrary<Sent> {
  const keys = fc.constantFrom(...Array<string>(15).fill(key), weakKey);
  return fc.tuple(good, fc.array(change, { maxLength: 3 }), keys).map(([draft, changes, sent]) =>
    written(
      changes.reduce((d, apply) => apply(d), draft),
      sent,
    ),
  );
}

function written({ method, segments, query, headers, body }: Draft, key: string): Sent {
  const search = query.map(([name, value]) => `${name}=${value}`).join('&');
  const path = `/${segments.join('/')}${search === '' ? '' : `?${search}`}`;
  return {
    method,
    path,
    headers: { Authorization: `Bearer ${key}`, ...headers },
    ...(body === undefined ? {} : { body }),
  };
}
