import { Agent } from 'node:http';
import { describe, expect, it, test } from 'vitest';
import { expectError, parseAnswer } from '../../support/http.ts';
import { oneService, placeOrder } from '../../support/one-service.ts';
import { RawClient } from '../../support/raw-client.ts';
import { bearer, Service } from '../../support/service.ts';

const { service } = await oneService({ AUTH_FAILURES_PER_MINUTE: '0' });
const LIST = '/v1/store/orders';
const KEY = `Authorization: Bearer ${service.key}\r\n`;
const JSON_TYPE = 'Content-Type: application/json\r\n';
const CHUNKED = 'Transfer-Encoding: chunked\r\n';
const POST = `POST ${LIST} HTTP/1.1\r\nHost: x\r\n`;
const ORDER = '{"petId": 1, "quantity": 1}';
const MEGABYTE = Buffer.alloc(1_048_576, 'a');
/** A machine that does other work may take this much longer. */
const SLACK_MS = 5_000;

/** The statuses of all answers that a client has received, 100 included. */
function statusesOf(client: RawClient): readonly number[] {
  return [...client.received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));
}

describe.concurrent('A request that does not arrive is answered with 408, and closed:', () => {
  test.each([
    ['no byte at all', '', 5_000, 6_000],
    ['half a head', `GET ${LIST} HTTP/1.1\r\nHost: x\r\nX-`, 5_000, 6_000],
    ['half a body', `${POST}${KEY}${JSON_TYPE}Content-Length: 27\r\n\r\n{"petId"`, 14_000, 15_000],
    ['a chunk without end', `${POST}${KEY}${JSON_TYPE}${CHUNKED}\r\n5\r\n{`, 14_000, 15_000],
  ])('%s', async (_what, bytes, least, most) => {
    using client = new RawClient(service.address);
    client.send(bytes);
    await client.closed;
    const answer = parseAnswer(client.received);
    expectError(answer, 408, 'invalid_request');
    const requestId = answer.headers['x-request-id'];
    const line = await service.program.until(({ log }) =>
      log.find((each) => each.requestId === requestId),
    );
    expect(line).toMatchObject({ status: 408, outcome: 'invalid_request' });
    // Node's clock may be a few milliseconds ahead of that of the client.
    expect(client.endedAfter).toBeGreaterThan(least - 50);
    expect(client.endedAfter).toBeLessThan(most + SLACK_MS);
  });

  it('and not one whose head comes byte by byte, in the same time', async () => {
    using client = new RawClient(service.address);
    const timer = setInterval(() => client.send('X'), 100);
    client.send('GET /livez HTTP/1.1\r\nHost: x\r\nX: ');
    await client.closed;
    clearInterval(timer);
    expect(statusesOf(client)).toStrictEqual([408]);
    expect(client.endedAfter).toBeGreaterThan(4_950);
    expect(client.endedAfter).toBeLessThan(6_000 + SLACK_MS);
  });

  it('and the connection is closed completely, although the client goes on sending', async () => {
    using client = new RawClient(service.address);
    await client.closed;
    const rest = setInterval(() => client.send('X'), 20);
    await new Promise((resolve) => client.socket.on('close', resolve));
    clearInterval(rest);
    expect(client.socket.writable).toBe(false);
  });
});

describe('A body that is refused is not read on:', () => {
  const endless = `${POST}${KEY}${JSON_TYPE}${CHUNKED}\r\n`;
  test.each([
    ['an endless one, chunked', endless, 413],
    [
      'one declared as a gigabyte',
      `${POST}${KEY}${JSON_TYPE}Content-Length: 1073741824\r\n\r\n`,
      413,
    ],
    ['a gigabyte without a key', `${POST}Content-Length: 1073741824\r\n\r\n`, 401],
    ['chunks without a key', `${POST}${CHUNKED}\r\n`, 401],
    ['a gigabyte of text', `${POST}${KEY}Content-Length: 1073741824\r\n\r\n`, 415],
    [
      'a gigabyte with a command that has no body',
      `DELETE ${LIST}/5 HTTP/1.1\r\nHost: x\r\n${KEY}Content-Length: 1073741824\r\n\r\n`,
      404,
    ],
    [
      'endless chunks with a command that has no body',
      `DELETE ${LIST}/5 HTTP/1.1\r\nHost: x\r\n${KEY}${CHUNKED}\r\n`,
      404,
    ],
  ])('%s', async (_what, head, status) => {
    using client = new RawClient(service.address);
    client.send(head);
    const isChunked = head.includes(CHUNKED);
    const bytes = isChunked
      ? Buffer.concat([Buffer.from('100000\r\n'), MEGABYTE, Buffer.from('\r\n')])
      : MEGABYTE;
    const sent = await client.flood(bytes, 1_000_000_000);
    await client.closed;
    expect(statusesOf(client)).toStrictEqual([status]);
    // What the buffers of two kernels hold is sent, and not read.
    expect(sent).toBeLessThan(32 * 1_048_576);
    expect(client.endedAfter).toBeLessThan(3_000 + SLACK_MS);
  });

  test.each([
    ['a declared length', `${POST}${KEY}${JSON_TYPE}Content-Length: 16385\r\n\r\n`, 413],
    ['no key', `${POST}${CHUNKED}\r\n`, 401],
    ['a wrong key', `${POST}Authorization: Bearer x\r\nContent-Length: 27\r\n\r\n`, 401],
  ])('%s is answered before a byte of the body, and closed', async (_what, head, status) => {
    using client = new RawClient(service.address);
    client.send(head);
    await client.closed;
    expect(statusesOf(client)).toStrictEqual([status]);
    expect(parseAnswer(client.received).headers.connection).toBe('close');
    expect(client.endedAfter).toBeLessThan(SLACK_MS);
  });

  it('and nothing behind it is carried out', async () => {
    const id = await placeOrder(service);
    const cancel = `DELETE ${LIST}/${id} HTTP/1.1\r\nHost: x\r\n${KEY}\r\n`;
    using client = new RawClient(service.address);
    client.send(`${POST}Content-Length: 5\r\n\r\nabcde${cancel}`);
    await client.closed;
    expect(statusesOf(client)).toStrictEqual([401]);
    const { text } = await service.ask('GET', `/v2/store/orders/${id}`);
    expect(JSON.parse(text)).toMatchObject({ status: 'pending' });
  });

  it('one of the largest size is read, and the connection continues', async () => {
    using client = new RawClient(service.address);
    const padded = ORDER.padEnd(16_384);
    const head = `${POST}${KEY}${JSON_TYPE}Content-Length: 16384\r\n\r\n`;
    client.send(head + padded + head + padded);
    while (statusesOf(client).length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(statusesOf(client)).toStrictEqual([201, 201]);
  });

  it('a short unread one is skipped, and the connection continues', async () => {
    using client = new RawClient(service.address);
    const cancel = `DELETE ${LIST}/5 HTTP/1.1\r\nHost: x\r\n${KEY}${CHUNKED}\r\n3\r\nabc\r\n0\r\n\r\n`;
    client.send(cancel + cancel.replace('Host', 'Connection: close\r\nHost'));
    await client.closed;
    expect(statusesOf(client)).toStrictEqual([404, 404]);
  });

  /** Sends a cancellation that is answered before its body is sent, and another one behind that. */
  async function sendBehindAnswer(client: RawClient, framing: string, body: string) {
    const head = `DELETE ${LIST}/5 HTTP/1.1\r\nHost: x\r\n${KEY}${framing}\r\n`;
    client.send(head);
    await client.until('order_not_found');
    client.send(body + head);
  }
  const chunkOf = (length: number) =>
    `${length.toString(16)}\r\n${'a'.repeat(length)}\r\n0\r\n\r\n`;

  test.each([
    ['of 3 bytes', 'Content-Length: 3\r\n', 'abc'],
    ['of the largest size', 'Content-Length: 16384\r\n', 'a'.repeat(16_384)],
    ['of the largest size in a chunk', CHUNKED, chunkOf(16_384)],
  ])('one that comes behind its answer is skipped: %s', async (_what, framing, body) => {
    using client = new RawClient(service.address);
    await sendBehindAnswer(client, framing, body);
    while (statusesOf(client).length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(statusesOf(client)).toStrictEqual([404, 404]);
    expect(client.received).not.toContain('Connection: close');
  });

  test.each([
    ['by its length', 'Content-Length: 16385\r\n', 'a'.repeat(16_385)],
    ['in a chunk', CHUNKED, chunkOf(16_385)],
  ])('and a longer one ends the connection: %s', async (_what, framing, body) => {
    using client = new RawClient(service.address);
    await sendBehindAnswer(client, framing, body);
    await client.closed;
    expect(statusesOf(client)).toStrictEqual([404]);
    expect(client.endedAfter).toBeLessThan(SLACK_MS);
  });
});

describe('Headers that are parsed as lists are bounded together:', () => {
  // A request with 16,000 characters took up to 12 ms.
  test.each(['Accept', 'Accept-Encoding', 'X-Forwarded-For'])('%s', async (name) => {
    const ask = (value: string) =>
      service.ask('GET', LIST, { headers: { 'Accept-Encoding': '', [name]: value } });
    expect((await ask('::1,'.repeat(256))).status).toBe(200);
    const refused = await ask(`${'::1,'.repeat(256)},`);
    expectError(refused, 431, 'invalid_request');
    expect(refused.headers).toMatchObject({ connection: 'close' });
  });
});

describe('100 Continue is sent', () => {
  const EXPECT = 'Expect: 100-continue\r\n';
  it('to a client with a key and a body that can be read', async () => {
    using client = new RawClient(service.address);
    client.send(`${POST}${KEY}${JSON_TYPE}${EXPECT}Content-Length: ${ORDER.length}\r\n\r\n`);
    await client.until('100 Continue\r\n\r\n');
    client.send(ORDER);
    await client.until('201 Created');
    // The connection goes on.
    client.send(`GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    await client.closed;
    expect(statusesOf(client)).toStrictEqual([100, 201, 200]);
  });

  test.each([
    ['without a key', `${JSON_TYPE}Content-Length: 27\r\n`, 401],
    ['with a body that is too long', `${KEY}${JSON_TYPE}Content-Length: 16385\r\n`, 413],
    ['with a body of another type', `${KEY}Content-Length: 27\r\n`, 415],
  ])('to none %s', async (_what, headers, status) => {
    using client = new RawClient(service.address);
    client.send(`${POST}${headers}${EXPECT}\r\n`);
    await client.closed;
    expect(statusesOf(client)).toStrictEqual([status]);
    expect(client.endedAfter).toBeLessThan(SLACK_MS);
  });

  it('to none of HTTP/1.0, whose body is read all the same', async () => {
    using client = new RawClient(service.address);
    const head = `${POST}${KEY}${JSON_TYPE}${EXPECT}Content-Length: ${ORDER.length}\r\n\r\n`;
    client.send(`${head.replace('HTTP/1.1', 'HTTP/1.0')}${ORDER}`);
    await client.closed;
    expect(statusesOf(client)).toStrictEqual([201]);
  });

  it('to none that has no body, and the answer is the last on its connection', async () => {
    using client = new RawClient(service.address);
    const get = `GET /v2/key HTTP/1.1\r\nHost: x\r\n${KEY}`;
    client.send(`${get}${EXPECT}\r\n${get}\r\n`);
    await client.closed;
    expect(statusesOf(client)).toStrictEqual([200]);
    expect(client.received).toMatch(/^connection: close\r$/im);
  });
});

describe('Requests that a client sends without waiting for the answers before', () => {
  const STREAM = `GET /v1/store/events HTTP/1.1\r\nHost: x\r\n${KEY}Accept: text/event-stream\r\n\r\n`;
  const cancel = (id: string, more = '') =>
    `DELETE ${LIST}/${id} HTTP/1.1\r\nHost: x\r\n${KEY}${more}\r\n`;
  const streams = async () => {
    const { text } = await service.ask('GET', '/metrics');
    return Number(/^store_orders_event_streams (\d+)$/m.exec(text)?.[1]);
  };

  it('are carried out one after another', async () => {
    const id = await placeOrder(service);
    using client = new RawClient(service.address);
    client.send(STREAM + STREAM + cancel(id));
    await client.until('retry: ');
    expect(await streams()).toBe(1);
    const { text } = await service.ask('GET', `/v2/store/orders/${id}`);
    expect(JSON.parse(text)).toMatchObject({ status: 'pending' });
  });

  it('are answered in order, up to 32 of them behind one', async () => {
    using client = new RawClient(service.address);
    const paths = Array.from({ length: 33 }, (_, n) => (n % 3 === 0 ? '/nowhere' : '/livez'));
    client.send(paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`).join(''));
    while (statusesOf(client).length < 33) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(statusesOf(client)).toStrictEqual(paths.map((path) => (path === '/livez' ? 200 : 404)));
  });

  it('and many more of them end the connection, and none is carried out', async () => {
    const id = await placeOrder(service);
    using client = new RawClient(service.address);
    client.send(STREAM);
    await client.until('retry: ');
    client.send(cancel(id).repeat(1_000));
    await client.closed;
    const line = await service.program.until(({ log }) =>
      log.find(({ cause }) => String(cause).startsWith('the client sent too many requests')),
    );
    expect(line).toMatchObject({ outcome: 'aborted', path: '/v1/store/events' });
    const { text } = await service.ask('GET', `/v2/store/orders/${id}`);
    expect(JSON.parse(text)).toMatchObject({ status: 'pending' });
    while ((await streams()) > 0) await new Promise((resolve) => setTimeout(resolve, 10));
  });

  it('are not carried out behind one that ends the connection', async () => {
    const [first, second] = [await placeOrder(service), await placeOrder(service)];
    using client = new RawClient(service.address);
    client.send(cancel(first, 'Connection: close\r\n') + cancel(second));
    await client.closed;
    expect(statusesOf(client)).toStrictEqual([204]);
    const { text } = await service.ask('GET', `/v2/store/orders/${second}`);
    expect(JSON.parse(text)).toMatchObject({ status: 'pending' });
  });
});

describe('A client that closes its sending side', () => {
  const GET = `GET ${LIST} HTTP/1.1\r\nHost: x\r\n${KEY}`;
  const PLACE = `${POST}${KEY}${JSON_TYPE}Content-Length: ${ORDER.length}\r\n\r\n${ORDER}`;
  /** The statuses without interim ones, which a client gets that waits. */
  const finalOf = (client: RawClient) => statusesOf(client).filter((status) => status !== 100);

  test.each([
    ['a command', PLACE, [201]],
    ['a command of HTTP/1.0', PLACE.replace('HTTP/1.1', 'HTTP/1.0'), [201]],
    ['a list', `${GET}\r\n`, [200]],
    ['a compressed list', `${GET}Accept-Encoding: gzip\r\n\r\n`, [200]],
    ['a list as CSV', `${GET}Accept: text/csv\r\n\r\n`, [200]],
    ['requests one after another', `${PLACE}${GET}\r\n${PLACE}`, [201, 200, 201]],
    ['a body that is not complete', PLACE.slice(0, -1), [400]],
    ['half a head', GET, [400]],
    ['no request', '', []],
  ])('gets its answers, and then the connection is closed: %s', async (_what, bytes, statuses) => {
    using client = new RawClient(service.address);
    client.socket.end(bytes);
    await new Promise((resolve) => client.socket.on('close', resolve));
    expect(finalOf(client)).toStrictEqual(statuses);
    expect(client.socket.errored).toBeNull();
    expect(client.endedAfter).toBeLessThan(SLACK_MS);
  });

  it('ends its event stream, as one that has gone', async () => {
    const stream = `${GET.replace(LIST, '/v1/store/events')}Accept: text/event-stream\r\n\r\n`;
    using client = new RawClient(service.address);
    client.send(stream);
    await client.until('retry: ');
    client.socket.end();
    await client.closed;
    // One that begins afterwards ends, too.
    using late = new RawClient(service.address);
    late.socket.end(PLACE + stream);
    await late.closed;
    expect(finalOf(late)[0]).toBe(201);
  });
});

describe('A service with no room for one more connection', () => {
  const PING = 'GET /livez HTTP/1.1\r\nHost: x\r\n\r\n';

  /** Opens connections until one is closed unanswered; returns those that are served. */
  async function served(address: string): Promise<RawClient[]> {
    const clients: RawClient[] = [];
    for (;;) {
      const client = new RawClient(address);
      client.send(PING);
      const isServed = await Promise.race([
        client.until('200 OK').then(
          () => true,
          () => false,
        ),
        client.closed.then(() => client.received !== ''),
      ]);
      if (!isServed) return clients;
      clients.push(client);
    }
  }

  async function expectRoom({ address }: Service): Promise<void> {
    for (let status = 0; status !== 200; ) {
      using client = new RawClient(address);
      client.send(PING);
      await client.until('200 OK').catch(() => undefined);
      status = statusesOf(client)[0] ?? 0;
    }
  }

  it('by MAX_CONNECTIONS refuses it, says so, and takes one again when another ends', async () => {
    await using limited = await Service.start({ MAX_CONNECTIONS: '5' });
    const clients = await served(limited.address);
    expect(clients).toHaveLength(5);
    const line = await limited.program.until(({ log }) => log.find(({ refused }) => refused));
    expect(line).toMatchObject({
      level: 40,
      refused: 1,
      msg: 'connections were refused: MAX_CONNECTIONS are open',
    });
    for (const client of clients) client.socket.destroy();
    await expectRoom(limited);
    const metrics = await fetch(`${limited.address}/metrics`, { headers: bearer(limited.key) });
    const refused = /^store_orders_connections_ended_total{reason="refused"} [1-9]/m;
    expect(await metrics.text()).toMatch(refused);
  });

  it('by MAX_CONNECTIONS closes those that have been idle for 5 seconds, and takes new ones', async () => {
    await using limited = await Service.start({ MAX_CONNECTIONS: '5' });
    const clients = await served(limited.address);
    expect(clients).toHaveLength(5);
    const [used] = clients as [RawClient];
    const uses = setInterval(() => used.send(PING), 500);
    await expectRoom(limited);
    clearInterval(uses);
    expect(used.endedAfter).toBeUndefined();
    // No more than were refused, and only where some were.
    const ended = clients.flatMap(({ endedAfter }) => endedAfter ?? []);
    expect(ended.length).toBeGreaterThan(0);
    for (const ms of ended) expect(ms).toBeGreaterThan(4_000);
  });

  it('by MAX_CONNECTIONS_PER_ADDRESS refuses it, says so, and takes those of another', async () => {
    await using limited = await Service.start({ MAX_CONNECTIONS_PER_ADDRESS: '5' });
    const clients = await served(limited.address);
    expect(clients).toHaveLength(5);
    const line = await limited.program.until(({ log }) => log.find(({ refused }) => refused));
    expect(line).toMatchObject({
      level: 40,
      refused: 1,
      msg: 'connections were refused: MAX_CONNECTIONS_PER_ADDRESS of one address are open',
    });
    const agent = new Agent({ localAddress: '127.0.0.2' });
    const { status, text } = await limited.ask('GET', '/metrics', { agent });
    expect(status).toBe(200);
    expect(text).toContain('store_orders_connections_ended_total{reason="per_address"} 1');
    agent.destroy();
    for (const client of clients) client.socket.destroy();
    await expectRoom(limited);
  });

  it('for want of file descriptors says so, serves the others, and recovers', async () => {
    await using limited = new Service();
    await limited.startWith('ulimit -n 90');
    const clients = await served(limited.address);
    expect(clients.length).toBeGreaterThan(10);
    const saying = (begin: string) =>
      limited.program.until(({ log }) => log.find(({ msg }) => String(msg).startsWith(begin)));
    expect(await saying('no file descriptor is left')).toMatchObject({
      level: 40,
      cause: expect.stringMatching('EMFILE'),
    });
    const [first] = clients as [RawClient];
    first.received = '';
    first.send(`${POST}Authorization: Bearer ${limited.key}\r\n${JSON_TYPE}`);
    first.send(`Content-Length: ${ORDER.length}\r\n\r\n${ORDER}`);
    await first.until('201 Created');
    for (const client of clients) client.socket.destroy();
    await expectRoom(limited);
    await saying('file descriptors are free again');
  });
});
