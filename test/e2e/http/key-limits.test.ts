import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { now } from '../../../src/app/clock.ts';
import { mintKeyText } from '../../../src/app/keys/api-key.ts';
import { keyRecord } from '../../../src/app/keys/first-key.ts';
import { type KeyLimits, SCOPES } from '../../../src/app/ports/key-store.ts';
import { openMemoryStore } from '../../../src/infra/memory/store.ts';
import { EventSource } from '../../support/event-source.ts';
import { type Answer, ask, expectError, parseAnswer } from '../../support/http.ts';
import { listening } from '../../support/listening.ts';
import { oneService } from '../../support/one-service.ts';
import { RawClient } from '../../support/raw-client.ts';
import { bearer } from '../../support/service.ts';
import { listenerOn } from '../../support/targets.ts';

const { service, beside } = await oneService({ MAX_STREAMS: '5', MAX_STREAMS_PER_KEY: '3' });
const LIST = '/v2/store/orders';
const ORDER = JSON.stringify({ petId: '7', quantity: 1 });

async function keyWith(limits: KeyLimits): Promise<string> {
  const key = await beside.addKey(SCOPES);
  await beside.limit(key, limits);
  return key;
}

const rate = (requests: number, seconds: number, burst = requests) => ({
  rate: { requests, seconds, burst },
});

const get = (key: string, path = `${LIST}?limit=1`) =>
  service.ask('GET', path, { headers: bearer(key) });

const statusesOf = ({ received }: RawClient) =>
  [...received.matchAll(/HTTP\/1.1 (\d+) /g)].map(([, status]) => Number(status));

const seconds = ({ headers }: Answer) => Number(headers['retry-after']);

describe('A key with a rate', () => {
  it('has its burst at once, and gets the remaining quota with each response', async () => {
    const key = await keyWith(rate(6, 60, 3));
    for (const left of [2, 1, 0]) {
      const { status, headers } = await get(key);
      expect(status).toBe(200);
      expect(headers['ratelimit-policy']).toBe('"default";q=6;w=60');
      expect(headers.ratelimit).toMatch(`"default";r=${left};t=`);
    }
    const refused = await get(key);
    expectError(refused, 429, 'rate_limited');
    expect(refused.headers.ratelimit).toBe(`"default";r=0;t=${seconds(refused)}`);
    expect(seconds(refused)).toBeGreaterThan(5);
    expect(seconds(refused)).toBeLessThanOrEqual(10);
    expect(JSON.parse(refused.text).message).toContain('This API key');
  });

  it('is served again after Retry-After', async () => {
    const key = await keyWith(rate(60, 60, 1));
    for (let n = 0; n < 3; n++) {
      expect((await get(key)).status).toBe(200);
      const refused = await get(key);
      expectError(refused, 429, 'rate_limited');
      await setTimeout(seconds(refused) * 1_000);
    }
  });

  it('is refused for every operation, and takes nothing from another key', async () => {
    const key = await keyWith(rate(1, 3_600));
    expectError(await get(key, '/v1/nowhere'), 404, 'not_found');
    for (const [method, path] of [
      ['GET', '/v1/store/orders'],
      ['DELETE', `${LIST}/1`],
      ['POST', LIST],
      ['GET', '/v1/store/events'],
      ['GET', '/v1/nowhere'],
      ['GET', '/metrics'],
      ['PATCH', LIST],
    ] as const) {
      const refused = await service.ask(method, path, { headers: bearer(key) });
      expectError(refused, 429, 'rate_limited');
      expect(seconds(refused)).toBeGreaterThan(3_500);
    }
    const other = await service.ask('GET', `${LIST}?limit=1`);
    expect(other.status).toBe(200);
    expect(other.headers).not.toHaveProperty('ratelimit');
    expect(other.headers).not.toHaveProperty('ratelimit-policy');
    const { text } = await service.ask('GET', '/metrics');
    expect(text).toMatch(/store_orders_errors_total\{code="rate_limited"\} [1-9]/);
  });

  it('is counted once for a request that fails behind the gate', async () => {
    const key = await keyWith(rate(100, 3_600));
    for (const left of [99, 98, 97]) {
      const { status, headers } = await get(key, `${LIST}/%zz`);
      expect(status).toBe(400);
      expect(headers.ratelimit).toMatch(`r=${left};`);
    }
  });

  it('is refused before its body is sent, and its connection goes on behind one that is short', async () => {
    const key = await keyWith(rate(1, 3_600));
    await get(key);
    const head = `POST ${LIST} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n`;
    using client = new RawClient(service.address);
    client.send(`${head}Content-Length: ${ORDER.length}\r\n\r\n`);
    await client.until('rate_limited');
    expect(parseAnswer(client.received).headers).not.toHaveProperty('connection', 'close');
    client.send(ORDER);
    client.send(`GET /livez HTTP/1.1\r\nHost: x\r\n\r\n`);
    await client.until('"ok"');
    expect(statusesOf(client)).toStrictEqual([429, 200]);

    using large = new RawClient(service.address);
    large.send(`${head}Content-Length: 16385\r\n\r\n`);
    await large.closed;
    expect(statusesOf(large)).toStrictEqual([429]);
    expect(parseAnswer(large.received).headers.connection).toBe('close');
  });

  it('has a limit that is changed or lifted within a second', async () => {
    const key = await keyWith(rate(1, 3_600));
    await get(key);
    expectError(await get(key), 429, 'rate_limited');
    await beside.limit(key, rate(7_200, 3_600, 10));
    await setTimeout(1_000);
    expect((await get(key)).headers['ratelimit-policy']).toBe('"default";q=7200;w=3600');
    await beside.limit(key, {});
    await setTimeout(1_000);
    for (let n = 0; n < 20; n++) {
      const { status, headers } = await get(key);
      expect([status, headers.ratelimit]).toStrictEqual([200, undefined]);
    }
  });
});

describe('A key with a limit of concurrent requests', () => {
  /** A request whose body never comes to its end. */
  async function underWay(key: string): Promise<RawClient> {
    const client = new RawClient(service.address);
    onTestFinished(() => client[Symbol.dispose]());
    const head = `POST ${LIST} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n`;
    client.send(
      `${head}Content-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: 99\r\n\r\n`,
    );
    await client.until('100 Continue');
    return client;
  }

  it('has no more than that under way, and another when one is over', async () => {
    const key = await keyWith({ concurrent: 2 });
    const clients = [await underWay(key), await underWay(key)];
    const refused = await get(key);
    expectError(refused, 429, 'rate_limited');
    expect(seconds(refused)).toBe(1);
    expect((await service.ask('GET', `${LIST}?limit=1`)).status).toBe(200);
    clients[0]?.socket.destroy();
    await vi.waitFor(async () => expect((await get(key)).status).toBe(200));
    expect((await get(key)).status).toBe(200);
  });

  it('is shown its rate as well, and has to wait for both', async () => {
    const key = await keyWith({ concurrent: 1, ...rate(3, 3_600) });
    await underWay(key);
    const refused = await get(key);
    expectError(refused, 429, 'rate_limited');
    expect(refused.headers.ratelimit).toMatch(/^"default";r=1;t=\d+$/);
    expect(seconds(refused)).toBe(1);
    const last = await get(key);
    expect(JSON.parse(last.text).message).toContain('under way');
    expect(last.headers.ratelimit).toBe(`"default";r=0;t=${seconds(last)}`);
    expect(seconds(last)).toBeGreaterThan(1_000);
  });

  it.each([
    ['GET', '/v2/key', 200],
    ['GET', LIST, 200],
    ['GET', '/v1/nowhere', 404],
    ['DELETE', `${LIST}/12345`, 404],
  ])(
    'has the requests of one connection one after another: %s %s',
    async (method, path, status) => {
      const key = await keyWith({ concurrent: 2 });
      await underWay(key);
      using client = new RawClient(service.address);
      const request = `${method} ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`;
      client.send(request.repeat(8));
      await vi.waitFor(() => expect(statusesOf(client)).toHaveLength(8), { timeout: 60_000 });
      expect(statusesOf(client)).toStrictEqual(Array.from({ length: 8 }, () => status));
    },
  );

  it('has none under way of a client that went while its key was looked up', async () => {
    const store = await openMemoryStore();
    const key = mintKeyText();
    await store.keys.add(
      keyRecord(key, {
        name: 'a',
        scopes: SCOPES,
        createdAt: now(),
        limits: { concurrent: 1 },
      }),
    );
    const find = store.keys.find.bind(store.keys);
    const lookedUp = Promise.withResolvers<void>();
    store.keys.find = async (id) => {
      await lookedUp.promise;
      return find(id);
    };
    const { server, address } = await listening(listenerOn(store));
    const gone = new Promise((resolve) => {
      server.once('request', (_req, res) => res.once('close', resolve));
    });
    using client = new RawClient(address);
    client.send(`GET ${LIST} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`);
    await once(server, 'request');
    client.socket.destroy();
    await gone;
    lookedUp.resolve();
    for (let n = 0; n < 2; n++) {
      const { status } = await ask(address, 'GET', LIST, { headers: bearer(key) });
      expect(status).toBe(200);
    }
  });
});

describe('The event streams of a key', () => {
  async function open(key: string) {
    const source = new EventSource(key);
    onTestFinished(() => source.cut());
    const { statusCode, headers } = await source.open(service.address);
    return { source, statusCode, retryAfter: headers['retry-after'] };
  }

  // The service notices a bit later that a client has gone.
  const PATIENT = { timeout: 60_000, interval: 50 };

  it('are bounded for each key, and for the service', async () => {
    const [one, two, three] = [await keyWith({}), await keyWith({ streams: 1 }), await keyWith({})];
    const opened = [await open(one), await open(one), await open(one), await open(two)];
    expect(opened.map(({ statusCode }) => statusCode)).toStrictEqual([200, 200, 200, 200]);
    expect(await open(one)).toMatchObject({ statusCode: 429, retryAfter: '1' });
    expect(await open(two)).toMatchObject({ statusCode: 429, retryAfter: '1' });
    expect(await open(three)).toMatchObject({ statusCode: 200 });
    // The fifth was the last of all keys together, and one that is refused is not counted.
    for (let n = 0; n < 3; n++) expect(await open(three)).toMatchObject({ statusCode: 503 });
    const causes = [/event streams of this API key/, /^Too many streams are open/];
    await service.program.until(({ log }) =>
      causes.every((each) => log.some(({ cause }) => each.test(String(cause)))),
    );
    opened[3]?.source.cut();
    await vi.waitFor(async () => expect((await open(two)).statusCode).toBe(200), PATIENT);
    opened[0]?.source.cut();
    await vi.waitFor(async () => expect((await open(three)).statusCode).toBe(200), PATIENT);
  });

  it('are no requests under way, once they are open', async () => {
    const key = await keyWith({ concurrent: 1 });
    expect((await open(key)).statusCode).toBe(200);
    expect((await open(key)).statusCode).toBe(200);
    expect((await get(key)).status).toBe(200);
  });
});
