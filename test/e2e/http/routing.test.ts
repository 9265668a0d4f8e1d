import { describe, expect, it, test } from 'vitest';
import { type Answer, expectError, parseAnswer, sendBytes } from '../../support/http.ts';
import { oneService, placeOrder } from '../../support/one-service.ts';

const { service, beside } = await oneService();
const id = await placeOrder(service);
const LIST = '/v1/store/orders';

/** Every path there is, with all that it allows. */
const PATHS: [path: string, allow: string][] = [
  [LIST, 'GET, HEAD, OPTIONS, POST'],
  [`${LIST}/${id}`, 'DELETE, GET, HEAD, OPTIONS'],
  [`${LIST}/${id}/shipment`, 'OPTIONS, PUT'],
  ['/v1/pets/7', 'GET, HEAD, OPTIONS'],
  [`${LIST}/${id}/events`, 'GET, HEAD, OPTIONS'],
  ['/v1/store/events', 'GET, HEAD, OPTIONS'],
  ['/v2/store/orders', 'GET, HEAD, OPTIONS, POST'],
  ['/v2/key', 'GET, HEAD, OPTIONS'],
  [`/v2/store/orders/${id}`, 'DELETE, GET, HEAD, OPTIONS'],
  [`/v2/store/orders/${id}/shipment`, 'OPTIONS, PUT'],
  [`${LIST}/${id}/events`, 'GET, HEAD, OPTIONS'],
  ['/v1/store/checkpoint', 'GET, HEAD, OPTIONS'],
  ['/v1/store/events/1/receipt', 'GET, HEAD, OPTIONS'],
  ['/v1/store/proofs/inclusion?position=1&size=1', 'GET, HEAD, OPTIONS'],
  ['/v1/store/proofs/consistency?from=0&to=1', 'GET, HEAD, OPTIONS'],
  ['/public-key', 'GET, HEAD, OPTIONS'],
  ['/openapi/v1.json', 'GET, HEAD, OPTIONS'],
  ['/openapi/v2.json', 'GET, HEAD, OPTIONS'],
  ['/', 'GET, HEAD, OPTIONS'],
  ['/docs', 'GET, HEAD, OPTIONS'],
  ['/docs/v2', 'GET, HEAD, OPTIONS'],
  ['/docs/reference.js', 'GET, HEAD, OPTIONS'],
  ['/guides', 'GET, HEAD, OPTIONS'],
  ['/guides/adr/0001-concurrency-on-the-log', 'GET, HEAD, OPTIONS'],
  ['/changelog', 'GET, HEAD, OPTIONS'],
  ['/changelog.atom', 'GET, HEAD, OPTIONS'],
  ['/livez', 'GET, HEAD, OPTIONS'],
  ['/readyz', 'GET, HEAD, OPTIONS'],
];
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'QUERY', 'PROPFIND', 'PURGE'];

describe.each(PATHS)('%s', (path, allow) => {
  const allowed = allow.split(', ');

  test.each(METHODS.filter((method) => !allowed.includes(method)))(
    'answers %s with 405 and with what it allows',
    async (method) => {
      const answer = await service.ask(method, path);
      expectError(answer, 405, 'method_not_allowed');
      expect(answer.headers.allow).toBe(allow);
    },
  );

  it('answers OPTIONS with the allowed methods', async () => {
    const answer = await service.ask('OPTIONS', path);
    expect(answer).toMatchObject({ status: 204, text: '', headers: { allow } });
  });

  it('answers HEAD as it would answer GET, without the body', async () => {
    const [get, head] = [await service.ask('GET', path), await service.ask('HEAD', path)];
    const comparable = ({ status, headers }: Answer) => {
      const { date: _, 'x-request-id': __, ...rest } = headers;
      return { status, headers: rest };
    };
    if (allowed.includes('HEAD')) expect(comparable(head)).toStrictEqual(comparable(get));
    else expect(head.status).toBe(405);
    expect(head.body).toHaveLength(0);
  });
});

describe('There is nothing', () => {
  test.each([
    ['GET', `${LIST}/`],
    ['DELETE', `${LIST}/${id}/`],
    ['PUT', `${LIST}/${id}/shipment/`],
    ['GET', '/v1/store//orders'],
    ['GET', '/v1//store/orders'],
    ['GET', `/v1/store/orders//${id}`],
    ['GET', '/v1/Store/orders'],
    ['GET', '/v1/store/ORDERS'],
    ['PUT', `${LIST}/${id}/Shipment`],
    ['GET', '/v1/store/./orders'],
    ['GET', '/v1/pets/../store/orders'],
    ['GET', '/v1/store%2Forders'],
    ['GET', '/v1/store/orders;x=1'],
    ['GET', '/v1'],
    ['GET', '/v1/'],
    ['GET', '/v1/store'],
    ['GET', '/v1/pets'],
    ['GET', '/v1/pets/7/'],
    ['GET', '/v2/pets/7'],
    ['GET', '/v1/store/summary'],
    ['GET', '/v1/store/events/'],
    ['GET', '/v1/store/events/1'],
    ['GET', `${LIST}/${id}/Events`],
    ['GET', '/openapi'],
    ['GET', '/openapi/v3.json'],
    ['GET', '/V1/store/orders'],
    ['GET', '//v1/store/orders'],
    ['GET', '/%761/store/orders'],
    ['GET', '/v3/store/orders'],
    ['GET', '/v1store/orders'],
    ['GET', '/livez/'],
    ['GET', '/LIVEZ'],
    ['GET', '/favicon.ico'],
    ['GET', '/%zz'],
    ['GET', '/__proto__'],
    ['DELETE', '/constructor'],
    ['DELETE', '/v1/store/orders/1/../1'],
  ])('at %s %s', async (method, path) => {
    const head = await beside.head();
    expectError(await service.ask(method, path), 404, 'not_found');
    expect(await beside.head()).toBe(head);
  });
});

describe('Every answer', () => {
  const asked = [
    ['GET', LIST],
    ['GET', `${LIST}/${id}`],
    ['GET', `${LIST}/x`],
    ['GET', '/nowhere'],
    ['GET', '/livez'],
    ['PATCH', LIST],
  ] as const;

  test.each(asked)('to %s %s has a request id of its own', async (method, path) => {
    const ids = [await service.ask(method, path), await service.ask(method, path)].map(
      ({ headers }) => headers['x-request-id'],
    );
    expect(new Set(ids).size).toBe(2);
    for (const requestId of ids) expect(requestId).toMatch(/^[0-9a-f-]{36}$/);
  });

  test.each(asked)('to %s %s tells nothing of what it was made with', async (method, path) => {
    const { headers } = await service.ask(method, path);
    expect(headers).not.toHaveProperty('x-powered-by');
    expect(headers).not.toHaveProperty('server');
  });

  test.each(asked)('to %s %s forbids to sniff and to frame it', async (method, path) => {
    const { headers } = await service.ask(method, path);
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringContaining("frame-ancestors 'none'"),
    });
  });

  it('has the id that the service gave it, not one that the client sent', async () => {
    const headers = { 'X-Request-Id': 'mine' };
    const answer = await service.ask('GET', LIST, { headers });
    expect(answer.headers['x-request-id']).not.toBe('mine');
  });
});

describe('Health', () => {
  test.each([
    ['/livez', { status: 'ok' }],
    ['/readyz', { status: 'ready' }],
  ])('%s needs no key', async (path, body) => {
    const answer = await service.ask('GET', path, { headers: { Authorization: '' } });
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.text)).toStrictEqual(body);
  });
});

test('HTTP/1.0 works, without a Host', async () => {
  const received = await sendBytes(
    service.address,
    `GET ${LIST}/${id} HTTP/1.0\r\nAuthorization: Bearer ${service.key}\r\n\r\n`,
  );
  const answer = parseAnswer(received);
  expect(answer.status).toBe(200);
  expect(JSON.parse(answer.text).id).toBe(Number(id));
});
