import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectError } from '../../support/http.ts';
import { placeOrder } from '../../support/one-service.ts';
import { RawClient } from '../../support/raw-client.ts';
import { bearer, Service } from '../../support/service.ts';

const LIST = '/v1/store/orders';
const CLIENTS = 60;
const services = new AsyncDisposableStack();
let service: Service;
let order: string;

beforeAll(async () => {
  service = services.use(new Service());
  await service.start();
  order = await placeOrder(service);
  await service.program.end();
});
afterAll(() => services.disposeAsync());

/** Sends long reads of every kind at the same time. */
function readAll(): Promise<readonly Awaited<ReturnType<Service['ask']>>[]> {
  const paths = [
    LIST,
    '/v2/store/orders',
    '/v1/store/events',
    `${LIST}/${order}/events`,
    '/v1/store/checkpoint',
  ];
  return Promise.all(
    Array.from({ length: CLIENTS }, (_, n) =>
      service.ask('GET', paths[n % paths.length] as string, {
        headers: { 'Accept-Encoding': n % 2 === 0 ? 'gzip' : 'identity' },
      }),
    ),
  );
}

async function metric(name: string): Promise<number> {
  const { text } = await service.ask('GET', '/metrics');
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1]);
}

describe('With one place and no time to wait', () => {
  beforeAll(() => service.start({ MAX_READS: '1', READ_WAIT_MS: '1' }));
  afterAll(() => service.program.end());

  it('some long reads are served, others get 503, and everything else is served', async () => {
    const reads = readAll();
    const short = await Promise.all([
      service.ask('GET', '/livez'),
      service.ask('GET', '/readyz'),
      service.ask('GET', `${LIST}/${order}`),
    ]);
    expect(short.map(({ status }) => status)).toStrictEqual([200, 200, 200]);
    const answers = await reads;
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.length).toBeLessThan(CLIENTS);
    for (const answer of refused) {
      expectError(answer, 503, 'service_unavailable');
      expect(answer.headers['retry-after']).toMatch(/^[1-4]$/);
    }
  });

  it('a look for a pet is a long read, because it looks through all orders', async () => {
    const looks = Array.from({ length: CLIENTS }, () => service.ask('GET', '/v1/pets/404'));
    const statuses = (await Promise.all(looks)).map(({ status }) => status);
    expect(new Set(statuses)).toStrictEqual(new Set([404, 503]));
  });

  it('a command is taken', async () => {
    const reads = readAll();
    expect((await service.ask('DELETE', `${LIST}/${order}`)).status).toBe(204);
    await reads;
  });

  it('the places are free again when they are over', async () => {
    expect(await metric('store_orders_reads_under_way')).toBe(0);
    expect(await metric('store_orders_reads_waiting')).toBe(0);
    expect((await service.ask('GET', LIST)).status).toBe(200);
  });

  it('a read that is refused for itself leaves its place', async () => {
    expectError(await service.ask('GET', '/v1/store/orders/404/events'), 404, 'order_not_found');
    expect((await service.ask('GET', LIST)).status).toBe(200);
  });

  it('an open stream of events takes no place', async () => {
    using client = new RawClient(service.address);
    const { Authorization } = bearer(service.key);
    client.send(
      `GET /v1/store/events HTTP/1.1\r\nHost: x\r\nAuthorization: ${Authorization}\r\nAccept: text/event-stream\r\n\r\n`,
    );
    await client.until('OrderPlaced');
    expect((await service.ask('GET', LIST)).status).toBe(200);
  });
});

describe('With one place and the time to wait for it', () => {
  beforeAll(() => service.start({ MAX_READS: '1', READ_WAIT_MS: '60000' }));
  afterAll(() => service.program.end());

  it('every long read is served', async () => {
    const statuses = new Set((await readAll()).map(({ status }) => status));
    expect([...statuses]).toStrictEqual([200]);
  });
});
