import { connect } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it, test } from 'vitest';
import { Beside } from '../../support/beside.ts';
import { exactJson, parseAnswer, sendBytes } from '../../support/http.ts';
import { oneService, placeOrder } from '../../support/one-service.ts';
import { Service } from '../../support/service.ts';

const { service, beside } = await oneService();
const LIST = '/v1/store/orders';

function list(headers: Record<string, string> = {}) {
  return service.ask('GET', LIST, { headers });
}

type Order = Record<'id' | 'petId' | 'quantity', bigint> & { complete: boolean; shipDate?: string };

async function orders(): Promise<Order[]> {
  return exactJson((await list()).text) as Order[];
}

describe('listOrders', () => {
  it('answers an empty array, as JSON, without orders', async () => {
    await using fresh = await Service.start();
    const answer = await fresh.ask('GET', LIST);
    expect(answer).toMatchObject({
      status: 200,
      text: '[]',
      headers: { 'content-type': 'application/json; charset=utf-8', 'content-length': '2' },
    });
  });

  it('shows an order with the properties of the contract and no others', async () => {
    const id = await placeOrder(service, {
      petId: 3,
      quantity: 2,
      shipDate: '2026-02-03T04:05:06+01:00',
    });
    expect(await orders()).toContainEqual({
      id: BigInt(id),
      petId: 3n,
      quantity: 2n,
      shipDate: '2026-02-03T03:05:06.000Z',
      complete: false,
    });
  });

  it('leaves out an unknown ship date', async () => {
    const id = await placeOrder(service, { petId: 4 });
    const order = { id: BigInt(id), petId: 4n, quantity: 1n, complete: false };
    expect(await orders()).toContainEqual(order);
  });

  it('shows a shipped order as complete, on the date on which it did ship', async () => {
    const id = await placeOrder(service, { petId: 5, shipDate: '2026-02-03T00:00:00Z' });
    await service.send('PUT', `${LIST}/${id}/shipment`, { shipDate: '2026-03-04T00:00:00Z' });
    expect(await orders()).toContainEqual({
      id: BigInt(id),
      petId: 5n,
      quantity: 1n,
      shipDate: '2026-03-04T00:00:00.000Z',
      complete: true,
    });
  });

  it('still shows a cancelled order, as incomplete', async () => {
    const id = await placeOrder(service, { petId: 6 });
    await service.ask('DELETE', `${LIST}/${id}`);
    const order = { id: BigInt(id), petId: 6n, quantity: 1n, complete: false };
    expect(await orders()).toContainEqual(order);
  });

  it('knows neither filters nor pages: a query changes nothing', async () => {
    const all = await list();
    const answer = await service.ask('GET', `${LIST}?limit=1&status=pending&page[x]=1&%zz`);
    expect(answer).toMatchObject({ status: 200, text: all.text });
  });

  it('shows what was written beside the running service at once', async () => {
    await beside.place([{ id: 777n, petId: -1n, quantity: 2_147_483_647 }]);
    expect(await orders()).toContainEqual({
      id: 777n,
      petId: -1n,
      quantity: 2_147_483_647n,
      complete: false,
    });
  });

  it('shows each command that was acknowledged before the request', async () => {
    for (let n = 0; n < 20; n++) {
      const id = BigInt(await placeOrder(service));
      expect((await orders()).map((order) => order.id)).toContain(id);
    }
  });

  it('is sorted by id, lowest first', async () => {
    await beside.place([{ id: 9_007_199_254_740_993n }, { id: -5n }, { id: 2n ** 53n }]);
    const ids = (await orders()).map(({ id }) => id);
    expect(ids).toStrictEqual(ids.toSorted((a, b) => (a < b ? -1 : 1)));
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe('A list that has not changed', () => {
  it('answers 304 for its ETag', async () => {
    const { headers } = await list();
    const etag = String(headers.etag);
    expect(etag).toMatch(/^"[\x21\x23-\x7e]+"$/);
    for (const tags of [etag, `W/${etag}`, `"other", ${etag}`, `${etag} , W/"x"`, '*']) {
      const answer = await list({ 'If-None-Match': tags });
      expect(answer).toMatchObject({ status: 304, text: '', headers: { etag } });
      expect(answer.headers).not.toHaveProperty('content-type');
    }
  });

  it('has no body behind a 304 on the wire either', async () => {
    const { headers } = await list();
    const received = await sendBytes(
      service.address,
      `GET ${LIST} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.key}\r\n` +
        `If-None-Match: ${headers.etag}\r\nConnection: close\r\n\r\n`,
    );
    expect(received).toMatch(/^HTTP\/1\.1 304 .*\r\n\r\n$/s);
  });

  it('is sent for another ETag, or for a part of it', async () => {
    const etag = String((await list()).headers.etag);
    for (const tags of ['"other"', etag.slice(1, -1), `"${etag}"`, '""', '']) {
      expect((await list({ 'If-None-Match': tags })).status).toBe(200);
    }
  });
});

describe('A compressed list', () => {
  const gzip = (headers: Record<string, string> = {}, method = 'GET') =>
    service.ask(method, LIST, { headers: { 'Accept-Encoding': 'gzip', ...headers } });

  it('is the list, compressed, with an ETag of its own', async () => {
    const [plain, compressed] = [await list(), await gzip()];
    expect(plain.headers).not.toHaveProperty('content-encoding');
    expect(compressed.headers['content-encoding']).toBe('gzip');
    expect(compressed.headers['content-type']).toBe(plain.headers['content-type']);
    expect(compressed.headers.etag).not.toBe(plain.headers.etag);
    for (const { headers } of [plain, compressed]) expect(headers.vary).toBe('Accept-Encoding');
    expect(gunzipSync(compressed.body).toString()).toBe(plain.text);
  });

  it('answers 304 for the ETag of this encoding only', async () => {
    const [plain, compressed] = [await list(), await gzip()];
    const tags = [plain, compressed].map(({ headers }) => String(headers.etag)) as [string, string];
    expect(await gzip({ 'If-None-Match': tags[1] })).toMatchObject({ status: 304, text: '' });
    expect((await gzip({ 'If-None-Match': tags[0] })).status).toBe(200);
    expect((await list({ 'If-None-Match': tags[1] })).status).toBe(200);
  });

  it('has the same headers for HEAD', async () => {
    const [get, head] = [await gzip(), await gzip({}, 'HEAD')];
    for (const name of ['content-length', 'content-encoding', 'content-type', 'etag', 'vary']) {
      expect(head.headers[name]).toBe(get.headers[name]);
    }
    expect(head.body).toHaveLength(0);
  });

  it.each(['br, gzip;q=0.5', 'GZIP', 'deflate, gzip', '*'])('is sent for %s', async (accepted) => {
    const answer = await gzip({ 'Accept-Encoding': accepted });
    expect(answer.headers['content-encoding']).toBe('gzip');
  });

  it.each(['', 'identity', 'br', 'gzip;q=0', 'identity, gzip;q=0.1', 'gzipped'])(
    'is not sent for "%s"',
    async (accepted) => {
      const answer = await gzip({ 'Accept-Encoding': accepted });
      expect(answer.headers).not.toHaveProperty('content-encoding');
      expect(answer.text).toBe((await list()).text);
    },
  );

  it('shows each command that was acknowledged before the request', async () => {
    const id = await placeOrder(service);
    const shown = async () => gunzipSync((await gzip()).body).toString();
    expect(await shown()).toContain(`{"id":${id},"petId":7,"quantity":1,"complete":false}`);
    await service.send('PUT', `${LIST}/${id}/shipment`, { shipDate: '2026-01-01T00:00:00Z' });
    expect(await shown()).toMatch(new RegExp(`\\{"id":${id},[^}]*"complete":true\\}`));
  });
});

test('Every event changes the ETag, and commands without events do not', async () => {
  const etag = async () => (await list()).headers.etag;
  const seen = [await etag()];
  const changing = async (change: () => Promise<unknown>) => {
    await change();
    const now = await etag();
    expect(seen).not.toContain(now);
    seen.push(now);
  };
  let cancelled = '';
  let shipped = '';
  await changing(async () => {
    cancelled = await placeOrder(service);
  });
  await changing(async () => {
    shipped = await placeOrder(service);
  });
  await changing(() => service.ask('DELETE', `${LIST}/${cancelled}`));
  const ship = () =>
    service.send('PUT', `${LIST}/${shipped}/shipment`, { shipDate: '2026-01-01T00:00:00Z' });
  await changing(ship);
  await changing(() => beside.place([{ id: 1_000_001n }]));

  await service.ask('DELETE', `${LIST}/${cancelled}`);
  await service.ask('DELETE', `${LIST}/${shipped}`);
  await ship();
  expect(await etag()).toBe(seen.at(-1));
});

test('Two stores never share an ETag, though as much has happened in both', async () => {
  await using one = await Service.start();
  await using other = await Service.start();
  const [{ headers }, { headers: others }] = await Promise.all([
    one.ask('GET', LIST),
    other.ask('GET', LIST),
  ]);
  expect(headers.etag).not.toBe(others.etag);
});

// A page holds 1,024 orders: one less, full, one more, and several.
test('A list is complete and valid JSON, of its Content-Length, at every size', async () => {
  await using fresh = await Service.start();
  await using hand = new Beside(fresh.databaseFile);
  let placed = 0n;
  for (const size of [0n, 1n, 1023n, 1024n, 1025n, 5000n]) {
    const more = [];
    while (placed < size) {
      placed += 1n;
      more.push({ id: placed, petId: placed * 10n ** 14n });
    }
    await hand.place(more);
    const answer = await fresh.ask('GET', LIST);
    expect(answer.headers['content-length']).toBe(String(answer.body.length));
    expect(answer.headers).not.toHaveProperty('transfer-encoding');
    const expected = Array.from({ length: Number(size) }, (_, n) => {
      const id = BigInt(n + 1);
      return { id, petId: id * 10n ** 14n, quantity: 1n, complete: false };
    });
    expect(exactJson(answer.text)).toStrictEqual(expected);
    const headers = { 'Accept-Encoding': 'gzip' };
    const gzip = await fresh.ask('GET', LIST, { headers });
    expect(gzip.headers['content-length']).toBe(String(gzip.body.length));
    expect(gunzipSync(gzip.body).equals(answer.body)).toBe(true);
  }
});

test('A slow reader gets the list of the time of its request, whatever happens meanwhile', async () => {
  await using fresh = await Service.start();
  await using hand = new Beside(fresh.databaseFile);
  const first = 2n ** 60n;
  // More than the buffers of two sockets hold, so that most of it is sent after the changes.
  const long = { petId: 2n ** 62n, quantity: 2_147_483_647, shipDate: '2026-01-01T00:00:00.000Z' };
  const orders = Array.from({ length: 66_000 }, (_, n) => ({ ...long, id: first + BigInt(2 * n) }));
  await hand.place(orders);
  const before = await fresh.ask('GET', LIST);

  const { hostname, port } = new URL(fresh.address);
  const socket = connect(Number(port), hostname);
  socket.write(
    `GET ${LIST} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${fresh.key}\r\n` +
      'Connection: close\r\n\r\n',
  );
  const chunks: Buffer[] = [await new Promise<Buffer>((resolve) => socket.once('data', resolve))];
  socket.pause();
  await hand.place(Array.from({ length: 3_000 }, (_, n) => ({ id: first + BigInt(2 * n + 1) })));
  for (let n = 0n; n < 1_000n; n += 10n) {
    const path = `${LIST}/${first + 2n * n}/shipment`;
    expect((await fresh.send('PUT', path, { shipDate: '2026-01-01T00:00:00Z' })).status).toBe(200);
  }
  for (let n = 0; n < 10; n++) await placeOrder(fresh);
  const after = await fresh.ask('GET', LIST);
  expect(after.body.length).toBeGreaterThan(before.body.length);
  expect(socket.bytesRead).toBeLessThan(before.body.length);

  for await (const chunk of socket) chunks.push(chunk as Buffer);
  const received = parseAnswer(Buffer.concat(chunks).toString('latin1'));
  expect(received.status).toBe(200);
  expect(received.headers.etag).toBe(before.headers.etag);
  // Not toBe(): a difference of megabytes is nothing to print.
  expect(received.text === before.text).toBe(true);
});

test('A reader that goes away in the middle of a list harms nobody', async () => {
  await using fresh = await Service.start();
  await using hand = new Beside(fresh.databaseFile);
  const long = { petId: 2n ** 62n, quantity: 2_147_483_647, shipDate: '2026-01-01T00:00:00.000Z' };
  await hand.place(Array.from({ length: 40_000 }, (_, n) => ({ ...long, id: BigInt(n) })));
  const { hostname, port } = new URL(fresh.address);
  const socket = connect(Number(port), hostname);
  socket.write(`GET ${LIST} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${fresh.key}\r\n\r\n`);
  await new Promise((resolve) => socket.once('data', resolve));
  socket.destroy();
  await fresh.program.until(({ log }) => log.find(({ outcome }) => outcome === 'aborted'));
  expect((await fresh.ask('GET', LIST)).status).toBe(200);
  expect(await fresh.program.end()).toBe(0);
});
