import { describe, expect, it } from 'vitest';
import { keyIdOf } from '../../../src/app/keys/api-key.ts';
import { expectError } from '../../support/http.ts';
import { oneService } from '../../support/one-service.ts';
import { bearer } from '../../support/service.ts';

const { service, beside } = await oneService();
const PATH = '/v2/key';
const get = (key: string) => service.ask('GET', PATH, { headers: bearer(key) });

describe('A client can read the properties of its key', () => {
  it('the id, the name, the scopes, and when it was made; nothing that is secret', async () => {
    const key = await beside.addKey(['orders:read', 'orders:cancel']);
    const { status, headers, text } = await get(key);
    expect(status).toBe(200);
    expect(headers['cache-control']).toBe('private, no-cache');
    expect(JSON.parse(text)).toStrictEqual({
      id: keyIdOf(key),
      name: 'test',
      scopes: ['orders:read', 'orders:cancel'],
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
    });
  });

  it('when it expires', async () => {
    const at = Date.now() + 3_600_000;
    const { text } = await get(await beside.addKey([], at));
    expect(JSON.parse(text)).toMatchObject({ scopes: [], expiresAt: new Date(at).toISOString() });
  });

  it('its limits, soon after they were changed', async () => {
    const key = await beside.addKey(['metrics:read']);
    const limits = { rate: { requests: 100, seconds: 1, burst: 200 }, concurrent: 10, streams: 5 };
    await beside.limit(key, limits);
    await expect.poll(async () => JSON.parse((await get(key)).text).limits).toStrictEqual(limits);
    await beside.limit(key, {});
    await expect.poll(async () => JSON.parse((await get(key)).text)).not.toHaveProperty('limits');
  });
});

it('Nothing is returned without a valid key', async () => {
  const revoked = await beside.addKey(['orders:read']);
  await beside.revoke(revoked);
  for (const key of [revoked, await beside.addKey([], Date.now() - 1), 'none']) {
    expectError(await get(key), 401, 'unauthorized');
  }
  expectError(
    await service.ask('GET', PATH, { headers: { Authorization: '' } }),
    401,
    'unauthorized',
  );
});

it('A parameter is refused', async () => {
  const answer = await service.ask('GET', `${PATH}?id=1`, { headers: bearer(service.key) });
  expectError(answer, 400, 'invalid_request');
});
