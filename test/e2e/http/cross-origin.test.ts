import { afterAll, describe, expect, it, test } from 'vitest';
import { ask } from '../../support/http.ts';
import { placeOrder } from '../../support/one-service.ts';
import { bearer, Service } from '../../support/service.ts';

const SHOP = 'https://shop.example.com';
const closed = await Service.start();
const open = await Service.start({ CORS_ORIGINS: `${SHOP}, http://localhost:5173` });
afterAll(() => Promise.all([closed, open].map((service) => service[Symbol.asyncDispose]())));

const LIST = '/v1/store/orders';

/** What a browser asks before a page's request, without a key. */
function preflight(service: Service, path: string, Origin = SHOP, method = 'DELETE') {
  const headers = {
    Origin,
    'Access-Control-Request-Method': method,
    'Access-Control-Request-Headers': 'authorization,content-type',
  };
  return ask(service.address, 'OPTIONS', path, { headers });
}

function corsHeaders(headers: object): string[] {
  return Object.keys(headers).filter((name) => name.startsWith('access-control-'));
}

/** Responses' headers that pages may always read (the Fetch standard). */
const ALWAYS_READABLE = ['Cache-Control'];

/** Returns the headers that the operations of both versions read, and those that their answers explain. */
async function describedHeaders(service: Service) {
  const [read, explained] = [new Set<string>(), new Set<string>()];
  for (const version of ['v1', 'v2']) {
    const { text } = await service.ask('GET', `/openapi/${version}.json`);
    const { paths, components } = JSON.parse(text) as Description;
    const operations = Object.values(paths).flatMap((path) => Object.values(path));
    for (const { in: place, name } of operations.flatMap(({ parameters = [] }) => parameters)) {
      if (place === 'header') read.add(name);
    }
    for (const answers of [components, ...operations].map(({ responses }) => responses)) {
      const all = Object.values(answers).flatMap(({ headers = {} }) => Object.keys(headers));
      for (const name of all) if (!ALWAYS_READABLE.includes(name)) explained.add(name);
    }
  }
  return { read: [...read], explained: [...explained] };
}

interface Answers {
  readonly responses: Record<string, { readonly headers?: object }>;
}

/** The parts of an OpenAPI document in which headers stand. */
interface Description {
  readonly components: Answers;
  readonly paths: Record<
    string,
    Record<
      string,
      Answers & { readonly parameters?: readonly { readonly in: string; readonly name: string }[] }
    >
  >;
}

describe('Without a configuration', () => {
  it('no response is readable for a page of another origin', async () => {
    for (const { headers } of [
      await preflight(closed, `${LIST}/1`),
      await closed.ask('GET', LIST, { headers: { Origin: SHOP } }),
      await ask(closed.address, 'GET', '/openapi/v1.json', { headers: { Origin: SHOP } }),
    ]) {
      expect(corsHeaders(headers)).toEqual([]);
      expect(headers.vary ?? '').not.toContain('Origin');
    }
  });
});

describe('A page of an origin that is listed', () => {
  test.each([SHOP, 'http://localhost:5173'])('may ask, as %s', async (Origin) => {
    const { status, headers } = await open.ask('GET', LIST, { headers: { Origin } });
    expect(status).toBe(200);
    expect(headers['access-control-allow-origin']).toBe(Origin);
    expect(headers).not.toHaveProperty('access-control-allow-credentials');
    expect(String(headers.vary).split(', ').sort()).toEqual(['Accept-Encoding', 'Origin']);
  });

  it('may read the headers that the API explains', async () => {
    const { headers } = await open.ask('GET', LIST, { headers: { Origin: SHOP } });
    const exposed = String(headers['access-control-expose-headers']).split(',');
    for (const name of ['ETag', 'Location', 'Link', 'Deprecation', 'Sunset', 'Retry-After']) {
      expect(exposed).toContain(name);
    }
    expect(exposed).toContain('X-Request-Id');
  });

  it('gets the permitted requests in advance, without a key', async () => {
    const { status, headers, text } = await preflight(open, `${LIST}/1`);
    expect([status, text]).toEqual([204, '']);
    expect(headers['access-control-allow-origin']).toBe(SHOP);
    const listed = (name: string) => String(headers[name]).split(',');
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'DELETE']) {
      expect(listed('access-control-allow-methods')).toContain(method);
    }
    for (const name of ['Authorization', 'Content-Type', 'If-None-Match']) {
      expect(listed('access-control-allow-headers')).toContain(name);
    }
  });

  it('may send every header that the API reads, and read every one that it explains', async () => {
    const names = await describedHeaders(open);
    // Those of a trace and of a request are read for the log.
    const sent = ['Authorization', 'Content-Type', 'traceparent', 'tracestate', 'X-Request-Id'];
    const { headers: before } = await preflight(open, `${LIST}/1`);
    const allowed = String(before['access-control-allow-headers']).split(',');
    expect(allowed.sort()).toEqual([...sent, ...names.read].sort());
    const { headers: answered } = await open.ask('GET', LIST, { headers: { Origin: SHOP } });
    const exposed = String(answered['access-control-expose-headers']).split(',');
    // The Allow of a 405, which belongs to no operation.
    expect(exposed.sort()).toEqual(['Allow', ...names.explained].sort());
  });

  it('reads an error as well as a success', async () => {
    const headers = { Origin: SHOP, Authorization: 'Bearer wrong' };
    const answer = await open.ask('GET', LIST, { headers });
    expect(answer.status).toBe(401);
    expect(answer.headers['access-control-allow-origin']).toBe(SHOP);
    const none = await open.ask('GET', '/nowhere', { headers: { Origin: SHOP } });
    expect(none).toMatchObject({ status: 404, headers: { 'access-control-allow-origin': SHOP } });
  });

  it('gets a page of version 2 and a 304 as well', async () => {
    await placeOrder(open);
    const headers = { Origin: SHOP, 'Accept-Encoding': 'gzip' };
    const { headers: first } = await open.ask('GET', '/v2/store/orders', { headers });
    expect(first['access-control-allow-origin']).toBe(SHOP);
    const asked = { headers: { ...headers, 'If-None-Match': String(first.etag) } };
    const again = await open.ask('GET', '/v2/store/orders', asked);
    expect(again).toMatchObject({ status: 304, headers: { 'access-control-allow-origin': SHOP } });
  });
});

describe('A page of any other origin', () => {
  test.each([
    'https://evil.example.com',
    'https://shop.example.com.evil.example.com',
    'http://shop.example.com',
    'https://shop.example.com:8443',
    'null',
  ])('gets no permissions: %s', async (Origin) => {
    const before = await preflight(open, `${LIST}/1`, Origin);
    const answer = await open.ask('GET', LIST, { headers: { Origin } });
    for (const { headers } of [before, answer]) {
      expect(headers).not.toHaveProperty('access-control-allow-origin');
      expect(headers.vary).toContain('Origin');
    }
  });
});

describe('Whoever is no page', () => {
  it('is answered as ever', async () => {
    const { status, headers } = await open.ask('OPTIONS', LIST);
    expect([status, headers.allow]).toEqual([204, 'GET, HEAD, OPTIONS, POST']);
    const unasked = await ask(open.address, 'OPTIONS', LIST, { headers: { Origin: SHOP } });
    expect(unasked.status).toBe(401);
    expect((await open.ask('GET', LIST, { headers: bearer(open.key) })).status).toBe(200);
  });
});
