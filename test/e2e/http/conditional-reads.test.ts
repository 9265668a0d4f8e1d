import { readFileSync } from 'node:fs';
import { expect, it, test } from 'vitest';
import { oneService, placeOrder } from '../../support/one-service.ts';
import { bearer } from '../../support/service.ts';

const { service } = await oneService();
const id = await placeOrder(service);

interface Described {
  readonly paths: Readonly<Record<string, { get?: { responses: object } }>>;
}

/** The paths of a version that are described to answer 304, with an order's id. */
function conditionalPaths(version: 'v1' | 'v2'): readonly string[] {
  const { paths }: Described = JSON.parse(readFileSync(`docs/openapi-${version}.json`, 'utf8'));
  return Object.entries(paths)
    .filter(([, { get }]) => get !== undefined && '304' in get.responses)
    .map(([path]) => `/${version}${path.replace('{orderId}', id).replace('{petId}', '7')}`);
}

const NOT_DESCRIBED = ['/', '/guides', '/openapi/v1.json'];
const PATHS = [...conditionalPaths('v1'), ...conditionalPaths('v2'), ...NOT_DESCRIBED];

it('knows the operations that answer 304', () => {
  expect(PATHS).toContain('/v1/store/orders');
  expect(PATHS).toContain(`/v2/store/orders/${id}`);
  expect(PATHS).toContain('/v2/store/summary');
  expect(PATHS.join()).not.toContain('{');
});

// A fetch with an If-None-Match of its own sends `Cache-Control: no-cache`, by the Fetch standard.
test.each(PATHS)('%s answers 304 to a fetch that has its ETag', async (path) => {
  const headers = bearer(service.key);
  const url = `${service.address}${path}`;
  const first = await fetch(url, { headers });
  expect(first.status, await first.text()).toBe(200);
  const etag = String(first.headers.get('etag'));
  const again = await fetch(url, { headers: { ...headers, 'If-None-Match': etag } });
  expect(again.status).toBe(304);
  expect(again.headers.get('etag')).toBe(etag);
  expect(await again.text()).toBe('');
  const other = await fetch(url, { headers: { ...headers, 'If-None-Match': '"other"' } });
  expect(other.status, await other.text()).toBe(200);
});
