import { describe, expect, it, onTestFinished, test, vi } from 'vitest';
import { now } from '../../../src/app/clock.ts';
import { mintKeyText } from '../../../src/app/keys/api-key.ts';
import { acceptKey } from '../../../src/app/keys/first-key.ts';
import { MAX_POSITION } from '../../../src/app/log/positions.ts';
import { UnreadableEvent } from '../../../src/app/ports/event-log.ts';
import type { Store } from '../../../src/app/ports/store.ts';
import { openMemoryStore } from '../../../src/infra/memory/store.ts';
import { EventSource, ended } from '../../support/event-source.ts';
import { expectError } from '../../support/http.ts';
import { listening } from '../../support/listening.ts';
import { oneService, placeOrder } from '../../support/one-service.ts';
import { bearer } from '../../support/service.ts';
import { listenerOn } from '../../support/targets.ts';

const { service, beside } = await oneService({ MAX_STREAMS_PER_KEY: '101' });
const LOG = '/v1/store/events';
const STREAM = { Accept: 'text/event-stream' };

/** Resolves when an event with this position has come. */
function arrival(source: EventSource, position: number) {
  return source.until(({ received }) => received.find(({ id }) => id === String(position)));
}

describe('A stream of events', () => {
  it('sends the present events, and then the later ones', async () => {
    await placeOrder(service);
    const head = await beside.head();
    const source = new EventSource(service.key);
    const { statusCode, headers } = await source.open(service.address);
    expect(statusCode).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'private, no-cache',
      'x-accel-buffering': 'no',
      vary: 'Accept, Accept-Encoding',
    });
    expect(headers).not.toHaveProperty('content-encoding');
    await arrival(source, head);
    const id = await placeOrder(service);
    await service.ask('DELETE', `/v1/store/orders/${id}`);
    await arrival(source, head + 2);
    expect(source.received.map(({ id }) => Number(id))).toStrictEqual(
      Array.from({ length: head + 2 }, (_, n) => n + 1),
    );
    const page = await service.ask('GET', `${LOG}?limit=1000`);
    expect(`[${source.received.map(({ data }) => data).join(',')}]`).toBe(page.text);
    expect(source.lines).toContain('retry: 1000');
    source.cut();
  });

  it('sends events written beside the service', async () => {
    const head = await beside.head();
    const source = new EventSource(service.key);
    await source.open(service.address, `${LOG}?after=${head}`);
    await beside.place([{ id: 70_001n }]);
    await arrival(source, head + 1);
    expect(source.received).toHaveLength(1);
    source.cut();
  });

  it('continues after Last-Event-ID, whatever `after` is', async () => {
    for (let n = 0; n < 3; n++) await placeOrder(service);
    const head = await beside.head();
    const source = new EventSource(service.key);
    source.lastEventId = String(head - 2);
    await source.open(service.address, `${LOG}?after=0`);
    await arrival(source, head);
    expect(source.received.map(({ id }) => Number(id))).toStrictEqual([head - 1, head]);
    source.cut();
  });

  it.each([1, 2, MAX_POSITION])(
    'does not begin after a position that the log has not reached: %d beyond its end',
    async (beyond) => {
      const head = await beside.head();
      const after = Math.min(head + beyond, MAX_POSITION);
      const refused = (name: string) => ({
        status: 400,
        code: 'invalid_request',
        message: `${name}: the log ends at position ${head}`,
      });
      const asked = await service.ask('GET', `${LOG}?after=${after}`, { headers: STREAM });
      expect({ status: asked.status, ...JSON.parse(asked.text) }).toMatchObject(refused('after'));
      const resumed = await service.ask('GET', LOG, {
        headers: { ...STREAM, 'Last-Event-ID': `${after}` },
      });
      expect({ status: resumed.status, ...JSON.parse(resumed.text) }).toMatchObject(
        refused('Last-Event-ID'),
      );
      // A page begins at `after`, but its client has seen what the log does not have.
      const page = await service.ask('GET', `${LOG}?limit=1`, {
        headers: { 'Last-Event-ID': `${after}` },
      });
      expect({ status: page.status, ...JSON.parse(page.text) }).toMatchObject(
        refused('Last-Event-ID'),
      );
    },
  );

  it('of one type has no others, and moves the last id all the same', async () => {
    const head = await beside.head();
    const source = new EventSource(service.key);
    await source.open(service.address, `${LOG}?after=${head}&type=OrderCancelled`);
    const ids = [await placeOrder(service), await placeOrder(service)];
    await source.until(({ lastEventId }) => lastEventId === String(head + 2) || undefined);
    expect(source.received).toStrictEqual([]);
    await service.ask('DELETE', `/v1/store/orders/${ids[0]}`);
    const { data } = await arrival(source, head + 3);
    expect(JSON.parse(data)).toMatchObject({ type: 'OrderCancelled', subject: ids[0] });
    source.cut();
  });

  it('has more than one page', async () => {
    await beside.place(Array.from({ length: 2_500 }, (_, n) => ({ id: 100_000n + BigInt(n) })));
    const head = await beside.head();
    const source = new EventSource(service.key);
    await source.open(service.address);
    await arrival(source, head);
    expect(source.received.map(({ id }) => Number(id))).toStrictEqual(
      Array.from({ length: head }, (_, n) => n + 1),
    );
    source.cut();
  });

  it('has a head without a body', async () => {
    const answer = await service.ask('HEAD', LOG, { headers: STREAM });
    expect(answer).toMatchObject({ status: 200, text: '' });
    expect(answer.headers['content-type']).toBe('text/event-stream; charset=utf-8');
  });

  it('ignores limits', async () => {
    const head = await beside.head();
    const source = new EventSource(service.key);
    await source.open(service.address, `${LOG}?after=${head - 3}&limit=1`);
    await arrival(source, head);
    expect(source.received).toHaveLength(3);
    source.cut();
  });

  test.each(['?after=x', '?type=x', '?x=1'])('is refused with %s', async (query) => {
    const answer = await service.ask('GET', `${LOG}${query}`, { headers: STREAM });
    expectError(answer, 400, 'invalid_request');
  });

  it('needs a key with the scope', async () => {
    const headers = { ...STREAM, ...bearer(await beside.addKey(['orders:read'])) };
    expectError(await service.ask('GET', LOG, { headers }), 403, 'insufficient_scope');
  });
});

describe('A stream ends cleanly, and is refused after that,', () => {
  it('when its key is revoked', async () => {
    const key = await beside.addKey(['audit:read']);
    const source = new EventSource(key);
    const end = ended(await source.open(service.address));
    await beside.revoke(key);
    expect(await end).toBe(true);
    expect((await new EventSource(key).open(service.address)).statusCode).toBe(401);
  });

  it('when its key expires', async () => {
    const source = new EventSource(await beside.addKey(['audit:read'], Date.now() + 1_500));
    const res = await source.open(service.address);
    expect(res.statusCode).toBe(200);
    expect(await ended(res)).toBe(true);
  });
});

describe('A stream of a service that is in this process', () => {
  async function given(change: (store: Store) => Partial<Store> = () => ({})) {
    const store = await openMemoryStore();
    const key = mintKeyText();
    await acceptKey(store.keys, key, now());
    const served = await listening(listenerOn({ ...store, ...change(store) }));
    return { ...served, source: new EventSource(key) };
  }

  it('shows every 15 seconds that the connection lives', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const { address, source } = await given();
    await source.open(address);
    const beats = () => source.lines.filter((line) => line === ':').length;
    for (const due of [1, 2, 3]) {
      vi.advanceTimersByTime(14_999);
      expect(beats()).toBe(due - 1);
      vi.advanceTimersByTime(1);
      await source.until(() => beats() === due || undefined);
    }
    expect(source.received).toStrictEqual([]);
    source.cut();
    await expect.poll(() => vi.getTimerCount()).toBe(0);
  });

  it('ends at once for a client that disconnects during its authentication', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const asked = Promise.withResolvers<void>();
    const gone = Promise.withResolvers<void>();
    let reads = 0;
    const { address, server, source } = await given(({ keys, trail }) => ({
      keys: Object.assign(Object.create(keys), {
        async find(id: string) {
          asked.resolve();
          await gone.promise;
          return keys.find(id);
        },
      }),
      trail: Object.assign(Object.create(trail), {
        stored: async () => {
          reads += 1;
          return [];
        },
      }),
    }));
    const timers = vi.getTimerCount();
    server.once('connection', (socket) => socket.once('close', () => gone.resolve()));
    const opened = source.open(address).catch(() => 'cut');
    await asked.promise;
    source.cut();
    expect(await opened).toBe('cut');
    await gone.promise;
    for (let n = 0; n < 20; n++) await new Promise(setImmediate);
    expect([reads, vi.getTimerCount()]).toEqual([0, timers]);
  });

  it('ends if the log cannot be read', async () => {
    const fail = () => Promise.reject(new UnreadableEvent(7, 'it is missing'));
    const { address, source } = await given(({ trail }) => ({
      trail: Object.assign(Object.create(trail), { stored: fail }),
    }));
    const res = await source.open(address);
    expect(res.statusCode).toBe(200);
    await ended(res);
    expect(source.received).toStrictEqual([]);
  });

  it('ends if its key cannot be checked', async () => {
    let isBroken = false;
    const { address, source } = await given(({ keys }) => ({
      keys: Object.assign(Object.create(keys), {
        find: (id: string) => (isBroken ? Promise.reject(new Error('no keys')) : keys.find(id)),
      }),
    }));
    const end = ended(await source.open(address));
    isBroken = true;
    expect(await end).toBe(true);
  });
});

it('a hundred can follow at once, and one who leaves makes room', async () => {
  // After the last event: what a hundred of them would get from the first one on takes many seconds.
  const after = `${LOG}?after=${await beside.head()}`;
  const sources = Array.from({ length: 100 }, () => new EventSource(service.key));
  for (const source of sources) {
    expect((await source.open(service.address, after)).statusCode).toBe(200);
  }
  const answer = await service.ask('GET', LOG, { headers: STREAM });
  expectError(answer, 503, 'service_unavailable');
  expect(answer.headers['retry-after']).toMatch(/^[1-4]$/);
  for (const source of sources) source.cut();
  const again = new EventSource(service.key);
  while ((await again.open(service.address, after)).statusCode !== 200) await placeOrder(service);
  again.cut();
});
