import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { ask } from '../../support/http.ts';
import { Service } from '../../support/service.ts';

const plain = await Service.start();

/** Requests a path without a key. */
function read(version: string, headers: Record<string, string> = {}, method = 'GET') {
  return ask(plain.address, method, `/openapi/${version}.json`, { headers });
}

describe.each(['v1', 'v2'])('The description of %s', (version) => {
  it('is served without a key, identical to the file in docs', async () => {
    const answer = await read(version);
    expect(answer.status).toBe(200);
    expect(answer.text).toBe(readFileSync(`docs/openapi-${version}.json`, 'utf8'));
    expect(answer.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-cache',
      vary: 'Accept-Encoding',
      etag: expect.stringMatching(/^"[\w-]+"$/),
    });
  });

  it('is compressed for clients that accept gzip, with an ETag of its own', async () => {
    const [answer, packed] = [
      await read(version),
      await read(version, { 'Accept-Encoding': 'gzip' }),
    ];
    expect(packed.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(packed.body).toString()).toBe(answer.text);
    expect(packed.headers.etag).not.toBe(answer.headers.etag);
  });

  it('is not sent again for a matching If-None-Match', async () => {
    const { etag = '' } = (await read(version)).headers;
    expect(await read(version, { 'If-None-Match': etag })).toMatchObject({ status: 304, text: '' });
    expect((await read(version, { 'If-None-Match': '"other"' })).status).toBe(200);
  });

  it('has the same headers for HEAD', async () => {
    const [get, head] = [await read(version), await read(version, {}, 'HEAD')];
    expect(head.body).toHaveLength(0);
    for (const name of ['etag', 'content-length', 'content-type', 'vary']) {
      expect(head.headers[name]).toBe(get.headers[name]);
    }
  });
});

it('names the configured servers of its version', async () => {
  await using service = await Service.start({
    BASE_URL: 'https://api.example.com/shop/v1',
    STAGING_BASE_URL: 'https://staging.example.com/v1',
  });
  const servers = async (version: string) => {
    const { text } = await ask(service.address, 'GET', `/openapi/${version}.json`);
    return (JSON.parse(text).servers as { url: string }[]).map(({ url }) => url);
  };
  expect(await servers('v1')).toEqual([
    'https://api.example.com/shop/v1',
    'https://staging.example.com/v1',
  ]);
  expect(await servers('v2')).toEqual([
    'https://api.example.com/shop/v2',
    'https://staging.example.com/v2',
  ]);
});

it('contains what the contract requires', async () => {
  const { openapi, info, paths, components, ...rest } = JSON.parse((await read('v1')).text);
  expect(openapi).toBe('3.1.0');
  expect(info.version).toBe('1.0.0');
  expect(rest.security).toEqual([{ bearer: [] }]);
  expect(components.securitySchemes.bearer).toMatchObject({ type: 'http', scheme: 'bearer' });
  expect(rest['x-tagGroups']).toContainEqual({ name: 'Store', tags: ['orders'] });
  expect(paths['/store/orders'].get).toMatchObject({
    operationId: 'listOrders',
    tags: ['orders'],
    'x-hideTryItPanel': true,
  });
  expect(paths['/store/orders/{orderId}'].delete).toMatchObject({
    operationId: 'cancelOrder',
    tags: ['orders'],
  });
  expect(paths['/store/orders'].post['x-stability']).toBe('beta');
  expect(paths['/pets/{petId}'].get).toMatchObject({
    deprecated: true,
    'x-deprecated-sunset': '2027-12-31',
  });
  expect(Object.keys(components.schemas.Order.properties)).toEqual([
    'id',
    'petId',
    'quantity',
    'shipDate',
    'complete',
  ]);
  expect(components.schemas.Order).not.toHaveProperty('required');
  expect(components.schemas.Error.required).toEqual(['code', 'message', 'status']);
});
