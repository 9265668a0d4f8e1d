import { describe, expect, it, test } from 'vitest';
import { mintKeyText } from '../../../src/app/keys/api-key.ts';
import { SCOPES, type Scope } from '../../../src/app/ports/key-store.ts';
import { type Answer, ask, expectError, parseAnswer, sendBytes } from '../../support/http.ts';
import { oneService, placeOrder } from '../../support/one-service.ts';
import { bearer } from '../../support/service.ts';

const { service, beside } = await oneService();
const LIST = '/v1/store/orders';

function list(headers: Record<string, string>, path = LIST): Promise<Answer> {
  return ask(service.address, 'GET', path, { headers });
}

function expectUnauthorized(answer: Answer): void {
  expectError(answer, 401, 'unauthorized');
  expect(answer.headers['www-authenticate']).toMatch(/^Bearer\b/);
}

describe('Without a key, all under /v1 answers 401, before anything else is looked at:', () => {
  test.each([
    ['GET', '/v1/store/orders'],
    ['HEAD', '/v1/store/orders'],
    ['DELETE', '/v1/store/orders/1'],
    ['GET', '/v1'],
    ['GET', '/v1/'],
    ['GET', '/v1?'],
    ['GET', '/v1/no/such/path'],
    ['GET', '/v1//store/orders'],
    ['GET', '/v1/store/orders/'],
    ['GET', '/v1/STORE/ORDERS'],
    ['GET', '/v1/%zz'],
    ['GET', '/v1/store/orders/%zz'],
    ['DELETE', '/v1/store/orders/%ff'],
    ['DELETE', '/v1/store/orders/01'],
    ['DELETE', '/v1/store/orders/x'],
    ['PATCH', '/v1/store/orders'],
    ['TRACE', '/v1/store/orders/1'],
    ['PROPFIND', '/v1/store/orders'],
    ['OPTIONS', '/v1/store/orders'],
    ['OPTIONS', '/v1/no/such/path'],
  ])('%s %s', async (method, path) => {
    const answer = await ask(service.address, method, path);
    expect(answer.status).toBe(401);
    expect(answer.headers['www-authenticate']).toMatch(/^Bearer\b/);
    if (method !== 'HEAD') expectUnauthorized(answer);
  });

  test.each([
    ['broken JSON', 'application/json', '{'],
    ['a body of another type', 'text/plain', 'hello'],
    ['a body of no type', '', 'hello'],
    ['a body too large', 'application/json', `"${'x'.repeat(100_000)}"`],
  ])('POST with %s', async (_what, type, body) => {
    const headers = type === '' ? {} : { 'Content-Type': type };
    expectUnauthorized(await ask(service.address, 'POST', LIST, { headers, body }));
  });

  test('GET that expects what no server knows', async () => {
    expectUnauthorized(await list({ Expect: 'a-miracle' }));
  });

  test('GET with the address in absolute form', async () => {
    const bytes = `GET ${service.address}${LIST} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;
    expectUnauthorized(parseAnswer(await sendBytes(service.address, bytes)));
  });
});

describe('A key is refused with 401', () => {
  const { key } = service;
  const mistyped = key.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a'));
  const changed = key.replace(/(?<=_)[^_](?=[^_]*$)/, (first) => (first === 'a' ? 'b' : 'a'));

  test.each([
    ['when the header is empty', ''],
    ['when there is no key after the scheme', 'Bearer'],
    ['when there is a blank in the place of the key', 'Bearer  '],
    ['without a scheme', key],
    ['in another scheme', `Basic ${key}`],
    ['in a scheme that only begins like Bearer', `Bearers ${key}`],
    ['right behind the scheme', `Bearer${key}`],
    ['behind a tab', `Bearer\t${key}`],
    ['in quotes', `Bearer "${key}"`],
    ['as a parameter', `Bearer token=${key}`],
    ['twice', `Bearer ${key} ${key}`],
    ['with another after a comma', `Bearer ${key}, Bearer ${key}`],
    ['with a mistyped checksum', `Bearer ${mistyped}`],
    ['with a mistyped secret', `Bearer ${changed}`],
    ['in small letters', `Bearer ${key.toLowerCase()}`],
    ['with something before it', `Bearer x${key}`],
    ['with something behind it', `Bearer ${key}x`],
    ['when it is cut short', `Bearer ${key.slice(0, -1)}`],
    ['when it is not a key of this service', 'Bearer eyJhbGciOiJub25lIn0.e30.'],
    ['when it is well-formed and unknown', `Bearer ${mintKeyText()}`],
  ])('%s', async (_when, Authorization) => {
    expectUnauthorized(await list({ Authorization }));
  });

  it('when it is well-formed and has the id of another, whose place it cannot take', async () => {
    const id = key.split('_')[1] as string;
    const { crc32 } = await import('node:zlib');
    const body = `sto_${id}_${'A'.repeat(43)}`;
    const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
    let check = '';
    for (let rest = crc32(body), n = 0; n < 6; n++, rest = Math.floor(rest / 62)) {
      check = digits[rest % 62] + check;
    }
    expectUnauthorized(await list(bearer(body + check)));
    expect((await list(bearer(key))).status).toBe(200);
  });

  test.each([
    ['in the query', `${LIST}?api_key=${key}&access_token=${key}`, {}],
    ['in the path', `/v1/${key}/store/orders`, {}],
    ['in a header of its own', LIST, { 'X-API-Key': key }],
    ['in a cookie', LIST, { Cookie: `access_token=${key}` }],
    ['for a proxy', LIST, { 'Proxy-Authorization': `Bearer ${key}` }],
  ])('%s', async (_where, path, headers) => {
    expectUnauthorized(await list(headers, path));
  });

  it('when it has expired', async () => {
    expectUnauthorized(await list(bearer(await beside.addKey(SCOPES, Date.now() - 1))));
  });

  it('within a second after it was revoked beside the running service', async () => {
    const revoked = await beside.addKey(SCOPES);
    expect((await list(bearer(revoked))).status).toBe(200);
    await beside.revoke(revoked);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expectUnauthorized(await list(bearer(revoked)));
  });
});

describe('A key is accepted', () => {
  test.each(['bearer', 'BEARER', 'Bearer '])('behind "%s"', async (scheme) => {
    expect((await list({ Authorization: `${scheme} ${service.key}` })).status).toBe(200);
  });

  it('as soon as it was made beside the running service', async () => {
    expect((await list(bearer(await beside.addKey(['orders:read'])))).status).toBe(200);
  });

  it('until it expires', async () => {
    const key = await beside.addKey(SCOPES, Date.now() + 3_600_000);
    expect((await list(bearer(key))).status).toBe(200);
  });
});

describe('An operation needs its scope:', () => {
  const operations: [string, string, (id: string) => string, Scope, object?][] = [
    ['listOrders', 'GET', () => LIST, 'orders:read'],
    ['placeOrder', 'POST', () => LIST, 'orders:write', { petId: 1, quantity: 1 }],
    ['getOrder', 'GET', (id) => `${LIST}/${id}`, 'orders:read'],
    ['cancelOrder', 'DELETE', (id) => `${LIST}/${id}`, 'orders:cancel'],
    [
      'shipOrder',
      'PUT',
      (id) => `${LIST}/${id}/shipment`,
      'orders:write',
      { shipDate: '2026-01-01T00:00:00Z' },
    ],
  ];

  test.each(operations)('%s', async (_operationId, method, pathOf, scope, body = {}) => {
    const path = pathOf(await placeOrder(service));
    const head = await beside.head();
    for (const lacking of [SCOPES.filter((other) => other !== scope), []]) {
      const headers = bearer(await beside.addKey(lacking));
      const answer = await service.send(method, path, body, { headers });
      expect(expectError(answer, 403, 'insufficient_scope')).toContain(scope);
      expect(answer.headers['www-authenticate']).toContain(`scope="${scope}"`);
    }
    expect(await beside.head()).toBe(head);
    const headers = bearer(await beside.addKey([scope]));
    expect((await service.send(method, path, body, { headers })).status).toBeLessThan(300);
  });
});
