import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Instant } from '../../../src/domain/instant.ts';
import type { OrderId } from '../../../src/domain/order-id.ts';
import { Beside } from '../../support/beside.ts';
import { RawClient } from '../../support/raw-client.ts';
import { bearer, Service } from '../../support/service.ts';

// A list that is longer than what the kernel holds for a client on the same machine: up to 10 MB.
const ORDERS = 200_000;
const CHUNK_ORDERS = 1_024;
const LIST = '/v1/store/orders';
const TOO_SLOW = /^the client was too slow/;
const services = new AsyncDisposableStack();
let service: Service;

beforeAll(async () => {
  service = services.use(new Service());
  await service.start();
  await service.program.end();
  await using beside = new Beside(service.databaseFile);
  const ids = Array.from({ length: ORDERS }, (_, n) => ({
    id: BigInt(n + 1),
    petId: 2n ** 62n,
  }));
  for (let n = 0; n < ORDERS; n += 10_000) await beside.place(ids.slice(n, n + 10_000));
});
afterAll(() => services.disposeAsync());

/** Begins a request whose answer nobody takes. */
function stalled(path: string, more = ''): RawClient {
  const client = new RawClient(service.address, false);
  client.send(
    `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.key}\r\n${more}\r\n`,
  );
  return client;
}

/** Resolves when the answer has begun: which list it is of has been decided. */
async function hasBegun({ socket }: RawClient): Promise<void> {
  await once(socket, 'readable');
}

/** Returns the value of a metric, with its labels. */
async function metric(name: string): Promise<number> {
  const answer = await fetch(`${service.address}/metrics`, { headers: bearer(service.key) });
  const line = (await answer.text()).split('\n').find((each) => each.startsWith(`${name} `));
  return Number(line?.split(' ').at(-1));
}

/** Waits for the log lines of so many requests that were cut off. */
function cutOffs(count: number) {
  return service.program.until(({ log }) => {
    const lines = log.filter(({ cause }) => TOO_SLOW.test(String(cause)));
    return lines.length >= count ? lines : undefined;
  });
}

/** Ships one order in every so manieth chunk, beginning with the order at this place. */
async function shipOneInEach(beside: Beside, chunks: number, place: number): Promise<void> {
  const shipDate = '2026-01-01T00:00:00.000Z' as Instant;
  const ids: OrderId[] = [];
  for (let id = place; id <= ORDERS; id += chunks * CHUNK_ORDERS) ids.push(BigInt(id) as OrderId);
  // At once, beside the service: a request for each took most of the time of this file.
  await beside.submit(ids.map((orderId) => ({ type: 'ShipOrder', orderId, shipDate })));
}

/** Returns the memory that the service occupies, in megabytes. */
function megabytes(): number {
  const status = readFileSync(`/proc/${service.program.child.pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1_024;
}

describe('A client that takes nothing of its answer for STALL_TIMEOUT', () => {
  // It holds up no other list meanwhile: there is one place.
  beforeAll(() => service.start({ STALL_TIMEOUT: '2', MAX_READS: '1' }));
  afterAll(() => service.program.end());

  it.each([
    ['a list', LIST, ''],
    ['a list as CSV', '/v2/store/orders', 'Accept: text/csv\r\n'],
    ['a stream of events', '/v1/store/events', 'Accept: text/event-stream\r\n'],
  ])('is cut off: %s', async (_what, path, more) => {
    const before = service.program.log.length;
    using client = stalled(path, more);
    await hasBegun(client);
    // Others are served meanwhile.
    const other = await service.ask('GET', '/v2/store/orders?limit=1');
    expect(other.status).toBe(200);
    const line = await service.program.until(({ log }) => {
      return log.slice(before).find(({ cause }) => TOO_SLOW.test(String(cause)));
    });
    const requests = service.program.log.slice(before).map(({ requestId }) => requestId);
    expect(requests.indexOf(other.headers['x-request-id'])).toBeLessThan(
      requests.indexOf(line.requestId),
    );
    expect(line).toMatchObject({ outcome: 'aborted', status: 200 });
    expect(line.durationMs).toBeGreaterThan(2_000);
    expect(line.durationMs).toBeLessThan(15_000);
    client.read();
    await client.closed;
    const ended = await metric('store_orders_connections_ended_total{reason="slow"}');
    expect(ended).toBeGreaterThan(0);
  });

  it('and one that takes it in time is not, however long that takes', async () => {
    using client = stalled(LIST);
    for (let n = 0; n < 5; n++) {
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      client.socket.read(2_000_000);
    }
    client.read();
    await client.until('"id":200000,');
  });

  it('and one that sends CONNECT behind a list gets all of that, and its own answer', async () => {
    using client = stalled(LIST);
    client.send('CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(client.socket, 'readable');
    client.read();
    await client.closed;
    expect(client.received).toContain('"id":200000,');
    expect(client.received).toContain('HTTP/1.1 405 ');
  });
});

describe('Clients that read older versions of the list', () => {
  // No reader waits for a place: one that is refused for that is never cut off.
  beforeAll(() =>
    service.start({ STALL_TIMEOUT: '600', OLD_LISTS_BYTES: '1500000', MAX_READS: '100' }),
  );
  afterAll(() => service.program.end());

  it('are cut off, the oldest first, when these cost too much, and the newest is served', async () => {
    await service.ask('GET', LIST);
    using first = stalled(LIST);
    await hasBegun(first);
    await using beside = new Beside(service.databaseFile);
    await shipOneInEach(beside, 20, 1);
    using second = stalled(LIST);
    await hasBegun(second);
    await shipOneInEach(beside, 10, 2);
    expect((await service.ask('GET', LIST)).body.length).toBeGreaterThan(ORDERS * 60);
    const [line] = await cutOffs(1);
    expect(line).toMatchObject({ path: LIST, outcome: 'aborted' });
    expect(await metric('store_orders_connections_ended_total{reason="old_list"}')).toBe(1);
    expect(await metric('store_orders_old_lists_bytes')).toBeGreaterThan(0);
    first.read();
    await first.closed;
    expect(first.received).not.toContain('"id":200000,');
    second.read();
    await second.until('"id":200000,');
  });

  it('cost no more than that, many as they are', async () => {
    await service.ask('GET', LIST);
    const before = megabytes();
    await using beside = new Beside(service.databaseFile);
    await using clients = new AsyncDisposableStack();
    for (let n = 0; n < 60; n++) {
      await shipOneInEach(beside, 2, 10 + n);
      const client = stalled(LIST);
      clients.defer(() => void client.socket.destroy());
      await hasBegun(client);
    }
    const { status } = await service.ask('GET', LIST);
    expect(status).toBe(200);
    await cutOffs(40);
    // Without a limit, each would keep 98 chunks of 70 KB that no other has: 400 MB. What is no longer
    // needed is collected late on a busy machine.
    expect(megabytes() - before).toBeLessThan(250);
  });
});
