import { parseItem } from 'structured-headers';
import { describe, expect, it, onTestFinished, test } from 'vitest';
import { NoteSigner } from '../../../src/app/audit/proving/checkpoint.ts';
import { Prover } from '../../../src/app/audit/proving/prover.ts';
import { History } from '../../../src/app/audit/trail/history.ts';
import { RefusalRecorder } from '../../../src/app/audit/trail/refusal-recorder.ts';
import { Tail } from '../../../src/app/audit/trail/tail.ts';
import { now } from '../../../src/app/clock.ts';
import { mintKeyText } from '../../../src/app/keys/api-key.ts';
import { Authenticator } from '../../../src/app/keys/authenticator.ts';
import { keyRecord } from '../../../src/app/keys/first-key.ts';
import { KeyLimiter } from '../../../src/app/keys/key-limiter.ts';
import { SCOPES } from '../../../src/app/ports/key-store.ts';
import { ReadModel } from '../../../src/app/read/read-model.ts';
import { OrderList } from '../../../src/app/state/order-list.ts';
import { CommandProcessor } from '../../../src/app/write/command-processor.ts';
import type { ListChunk } from '../../../src/http/answers/list-chunk.ts';
import { ListMemory } from '../../../src/http/answers/list-memory.ts';
import { ListVersions } from '../../../src/http/answers/list-versions.ts';
import { createApp } from '../../../src/http/app.ts';
import { Health } from '../../../src/http/health.ts';
import { HttpServer } from '../../../src/http/server.ts';
import { openMemoryStore } from '../../../src/infra/memory/store.ts';
import { createLogger } from '../../../src/infra/process/logger.ts';
import { ask, expectError } from '../../support/http.ts';
import { oneService, placeOrder } from '../../support/one-service.ts';
import { BOUNDLESS, PATIENT } from '../../support/patience.ts';
import { bearer } from '../../support/service.ts';

const { service, beside } = await oneService();
const pet = (id: string | bigint) => service.ask('GET', `/v1/pets/${id}`);

/** The service in this process and in memory, by a clock of its own. */
async function serviceAt(time: string) {
  const store = await openMemoryStore();
  const commands = new CommandProcessor(store.writer, () => undefined, { limits: PATIENT });
  const { epochs, log, trail, keys } = store;
  const listMemory = new ListMemory(Infinity);
  const readModel = new ReadModel(log, new OrderList(listMemory.encode));
  const history = new History(epochs, trail, keys);
  const tail = new Tail(log, history, 100);
  const authenticator = new Authenticator(keys);
  const limiter = new KeyLimiter(100);
  const prover = new Prover(trail, NoteSigner.generate('test'));
  const services = {
    epochs,
    commands,
    reads: BOUNDLESS,
    listMemory,
    versions: new ListVersions<ListChunk>(Infinity),
    readModel,
    history,
    tail,
    prover,
    authenticator,
    limiter,
  };
  const key = mintKeyText();
  await store.keys.add(keyRecord(key, { name: 'test', scopes: SCOPES, createdAt: now() }));
  const health = new Health();
  health.ready();
  const { logger } = createLogger('silent');
  const server = new HttpServer(
    createApp({
      damaged: () => {},
      logger,
      health,
      authenticator,
      limiter,
      services,
      refusals: new RefusalRecorder(store.refusals, () => undefined),
      addresses: { production: undefined, staging: undefined },
      corsOrigins: [],
      now: () => Date.parse(time),
    }),
    health,
    { maxConnections: 10, maxPerAddress: 0, patienceMs: 30_000, log: logger },
  );
  const address = await server.listen(0, '127.0.0.1');
  onTestFinished(() => server.close());
  return (method: string, path: string, body?: string) => {
    const type = body === undefined ? {} : { 'Content-Type': 'application/json' };
    const headers = { ...bearer(key), ...type };
    return ask(address, method, path, { headers, ...(body === undefined ? {} : { body }) });
  };
}

describe('getPet', () => {
  it('answers with the id of a pet that an order names, exact to the last digit', async () => {
    await placeOrder(service, { petId: 11 });
    expect(await pet('11')).toMatchObject({ status: 200, text: '{"id":11}' });
    for (const petId of [2n ** 63n - 1n, -(2n ** 63n), 2n ** 53n + 1n]) {
      await beside.place([{ id: petId / 2n, petId }]);
      expect(await pet(petId)).toMatchObject({ status: 200, text: `{"id":${petId}}` });
    }
  });

  it('is not sent again to whoever has it', async () => {
    await placeOrder(service, { petId: 13 });
    const { headers } = await pet('13');
    const asked = (etag: string) =>
      service.ask('GET', '/v1/pets/13', { headers: { 'If-None-Match': etag } });
    expect(await asked(String(headers.etag))).toMatchObject({ status: 304, text: '' });
    expect((await asked('*')).status).toBe(304);
    expect((await asked('"other"')).status).toBe(200);
  });

  it('knows a pet whose only order was cancelled', async () => {
    const id = await placeOrder(service, { petId: 12 });
    await service.ask('DELETE', `/v1/store/orders/${id}`);
    expect((await pet('12')).status).toBe(200);
  });

  it('answers 404 for a pet that no order names', async () => {
    expectError(await pet('4711'), 404, 'not_found');
    // Half of it is that of another.
    expectError(await pet(2n ** 32n + 11n), 404, 'not_found');
  });

  test.each(['x', '1.0', '01', '9223372036854775808', '%zz'])('refuses %s', async (id) => {
    expectError(await pet(id), 400, 'invalid_request');
  });

  it('needs a key with the scope orders:read', async () => {
    const headers = bearer(await beside.addKey(SCOPES.filter((scope) => scope !== 'orders:read')));
    expectError(await service.ask('GET', '/v1/pets/11', { headers }), 403, 'insufficient_scope');
  });
});

describe('A deprecated operation', () => {
  test.each(['11', '4711', 'x'])('announces its end in every response: %s', async (id) => {
    const { headers } = await pet(id);
    const [since] = parseItem(String(headers.deprecation));
    expect(since).toStrictEqual(new Date('2026-11-21T00:00:00Z'));
    expect(headers.sunset).toBe('Fri, 31 Dec 2027 23:59:59 GMT');
    const links = String(headers.link).split(', ');
    expect(links).toHaveLength(2);
    for (const [index, rel] of ['deprecation', 'sunset'].entries()) {
      const [, target = '', relation] = /^<([^>]+)>; rel="(\w+)"$/.exec(links[index] ?? '') ?? [];
      expect(relation).toBe(rel);
      expect((await ask(service.address, 'GET', target)).status).toBe(200);
    }
  });

  it('is the only one that does', async () => {
    for (const path of ['/v1/store/orders', '/v2/store/orders']) {
      const { headers } = await service.ask('GET', path);
      expect(headers).not.toHaveProperty('deprecation');
      expect(headers).not.toHaveProperty('sunset');
    }
  });

  it('answers through its last day, and 410 from the next one on', async () => {
    const order = '{"petId": 7, "quantity": 1}';
    const lastDay = await serviceAt('2027-12-31T23:59:59Z');
    await lastDay('POST', '/v1/store/orders', order);
    expect(await lastDay('GET', '/v1/pets/7')).toMatchObject({ status: 200, text: '{"id":7}' });

    const dayAfter = await serviceAt('2028-01-01T00:00:00Z');
    await dayAfter('POST', '/v1/store/orders', order);
    for (const id of ['7', '8', 'x']) {
      const answer = await dayAfter('GET', `/v1/pets/${id}`);
      expect(expectError(answer, 410, 'gone')).toContain('/v2/store/orders?petId=');
      expect(answer.headers.sunset).toBe('Fri, 31 Dec 2027 23:59:59 GMT');
    }
    expect((await dayAfter('GET', '/v1/store/orders')).status).toBe(200);
  });
});
