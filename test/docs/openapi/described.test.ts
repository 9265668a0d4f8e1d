import { describe, expect, it, test } from 'vitest';
import { complaintAbout } from '../../support/described.ts';
import type { Answer, Sent } from '../../support/http.ts';

/**
 * Tests the checker that compares every exchange with the description: it has to report exchanges
 * that violate the description in exactly one respect.
 */

const REQUEST_ID = { 'x-request-id': '07b09690-dd7c-4e1c-a270-164e36738600' };
const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };
const ORDER = '{"id":1,"petId":7,"quantity":1,"complete":false}';
const ORDER_2 = `${ORDER.slice(0, -1).replace('1', '"1"').replace('7', '"7"')},"status":"pending","placedAt":"2026-03-02T09:30:00.000Z"}`;
const CACHED = { etag: '"x-1"', 'cache-control': 'private, no-cache' };
const LISTED = { ...CACHED, vary: 'Accept-Encoding' };
const NEW = { location: '/v1/store/orders/1', 'event-position': '1' };

function answer(status: number, text = '', headers: Record<string, string> = {}): Answer {
  const type = text === '' ? {} : JSON_TYPE;
  return { status, headers: { ...REQUEST_ID, ...type, ...headers }, body: Buffer.from(text), text };
}

function error(status: number, code: string, headers: Record<string, string> = {}): Answer {
  const all = { 'cache-control': 'no-store', ...headers };
  return answer(status, JSON.stringify({ code, message: 'm', status }), all);
}

function get(path: string): Sent {
  return { method: 'GET', path };
}

function post(body: string, type = 'application/json'): Sent {
  return { method: 'POST', path: '/v1/store/orders', headers: { 'Content-Type': type }, body };
}

const LIST = get('/v1/store/orders');
const ONE = get('/v1/store/orders/1');
const CANCEL = { ...ONE, method: 'DELETE' };
const LIST_2 = get('/v2/store/orders?limit=1');
const PLACE = post('{"petId":7,"quantity":1}');
const CHALLENGE = { 'www-authenticate': 'Bearer realm="store-orders"' };
const RATE = { 'ratelimit-policy': '"default";q=100;w=1', ratelimit: '"default";r=50;t=1' };
const PAGE = `{"data":[${ORDER_2}],"next":null}`;

describe('The checker accepts an exchange as described:', () => {
  test.each<[string, Sent, Answer]>([
    ['a list', LIST, answer(200, `[${ORDER}]`, LISTED)],
    ['an order', ONE, answer(200, ORDER, CACHED)],
    ['a cancellation', CANCEL, answer(204, '', { 'event-position': '2' })],
    ['a page', LIST_2, answer(200, PAGE, LISTED)],
    ['a refusal', CANCEL, error(404, 'order_not_found')],
    ['no key', LIST, error(401, 'unauthorized', CHALLENGE)],
    ['a bad body', post('{}'), error(400, 'invalid_request')],
    ['a placement', PLACE, answer(201, ORDER, { ...CACHED, ...NEW })],
    ['a slow body of a key with a rate', PLACE, error(408, 'invalid_request', RATE)],
    ['an unknown path', get('/v1/nowhere'), error(404, 'not_found')],
  ])('%s', (_what, sent, received) => {
    expect(complaintAbout(sent, received)).toBeUndefined();
  });
});

describe('The checker reports', () => {
  test.each<[string, Sent, Answer]>([
    ['a 500 with an undescribed body', LIST, answer(500, '{"error":"oops"}')],
    ['a status that the operation lacks', LIST, error(404, 'order_not_found')],
    ['a code with another status', CANCEL, error(409, 'order_not_found')],
    ['a code of another operation', CANCEL, error(409, 'order_cancelled')],
    ['a code that is not in the list', CANCEL, error(404, 'no_such_order')],
    ['another status in the body', CANCEL, answer(404, error(409, 'order_not_found').text)],
    ['an empty message', LIST, answer(400, error(400, 'invalid_request').text.replace('m"', '"'))],
    ['a 204 with a body', CANCEL, answer(204, ORDER)],
    ['a 200 without a body', ONE, answer(200, '', CACHED)],
    ['another media type', ONE, answer(200, ORDER, { ...CACHED, 'content-type': 'text/plain' })],
    ['invalid JSON', ONE, answer(200, '{"id":1', CACHED)],
    ['an additional property', ONE, answer(200, ORDER_2, CACHED)],
    ['a missing property', LIST_2, answer(200, `{"data":[${ORDER}],"next":null}`, LISTED)],
    ['a page without next', LIST_2, answer(200, `{"data":[${ORDER_2}]}`, LISTED)],
    ['an id as a string', ONE, answer(200, ORDER.replace('"id":1', '"id":"1"'), CACHED)],
    ['an id beyond 64 bits', ONE, answer(200, ORDER.replace('1', '9223372036854775808'), CACHED)],
    ['an id with an exponent', ONE, answer(200, ORDER.replace('1', '1e3'), CACHED)],
    ['a quantity of 0', ONE, answer(200, ORDER.replace('y":1', 'y":0'), CACHED)],
    ['an unknown status of an order', LIST_2, answer(200, PAGE.replace('pending', 'x'), LISTED)],
    ['a date without milliseconds', LIST_2, answer(200, PAGE.replace('.000Z', 'Z'), LISTED)],
    ['a 200 without an ETag', ONE, answer(200, ORDER, { ...CACHED, etag: 'weak' })],
    [
      'a 200 that caches may store',
      ONE,
      answer(200, ORDER, { ...CACHED, 'cache-control': 'public' }),
    ],
    ['a 201 without Location', PLACE, answer(201, ORDER, CACHED)],
    ['a 401 without a challenge', LIST, error(401, 'unauthorized')],
    ['a 503 without Retry-After', LIST, error(503, 'service_unavailable')],
    [
      'a response without a request id',
      ONE,
      answer(200, ORDER, { ...CACHED, 'x-request-id': 'x' }),
    ],
    [
      'an undescribed header',
      ONE,
      answer(200, ORDER, { ...CACHED, location: '/v1/store/orders/1' }),
    ],
    ['a 304 without If-None-Match', ONE, answer(304, '', CACHED)],
    ['a 200 at an unknown path', get('/v1/nowhere'), answer(200, ORDER)],
    ['a 405 without Allow', { ...ONE, method: 'PATCH' }, error(405, 'method_not_allowed')],
    ['an accepted malformed id', get('/v1/store/orders/01'), answer(200, ORDER, CACHED)],
    ['an accepted invalid limit', get('/v2/store/orders?limit=0'), answer(200, PAGE, LISTED)],
    ['an accepted unknown parameter', get('/v2/store/orders?x=1'), answer(200, PAGE, LISTED)],
    [
      'an accepted invalid body',
      post('{}'),
      answer(201, ORDER, { ...CACHED, location: '/v1/store/orders/1' }),
    ],
    ['a refused valid id', CANCEL, error(400, 'invalid_request')],
    ['a refused valid body', PLACE, error(400, 'invalid_request')],
    ['a small body refused as too large', PLACE, error(413, 'payload_too_large')],
  ])('%s', (_what, sent, received) => {
    expect(complaintAbout(sent, received)).toBeTypeOf('string');
  });

  it('a missing header', () => {
    const { etag: _, ...rest } = CACHED;
    expect(complaintAbout(ONE, answer(200, ORDER, rest))).toBe('no header ETag');
  });
});
