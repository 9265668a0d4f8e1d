import { connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { expectError } from '../support/http.ts';
import { placeOrder } from '../support/one-service.ts';
import { RawClient } from '../support/raw-client.ts';
import { bearer, Service } from '../support/service.ts';

const LIST = '/v1/store/orders';

/** Holds the lock of the store, so that batches wait, until the function that is returned is called. */
function holdLock({ databaseFile }: Service): () => void {
  const db = new Database(databaseFile);
  db.exec('BEGIN IMMEDIATE');
  return () => {
    db.exec('ROLLBACK');
    db.close();
  };
}

it('drops a command whose client has disconnected while it waited, and no other', async () => {
  await using service = await Service.start();
  const [first, left, waiting] = [
    await placeOrder(service),
    await placeOrder(service),
    await placeOrder(service),
  ];
  const heard = await placeOrder(service);
  const release = holdLock(service);
  const inBatch = service.ask('DELETE', `${LIST}/${first}`);
  await setTimeout(200);
  const { hostname, port } = new URL(service.address);
  const socket = connect(Number(port), hostname);
  const { Authorization } = bearer(service.key);
  socket.write(
    `DELETE ${LIST}/${left} HTTP/1.1\r\nHost: x\r\nAuthorization: ${Authorization}\r\n\r\n`,
  );
  await setTimeout(200);
  const after = service.ask('DELETE', `${LIST}/${waiting}`);
  // It has closed its sending side, too, but reads.
  using halfClosed = new RawClient(service.address);
  halfClosed.send(
    `DELETE ${LIST}/${heard} HTTP/1.1\r\nHost: x\r\nAuthorization: ${Authorization}\r\n\r\n`,
  );
  halfClosed.socket.end();
  socket.destroy();
  await service.program.until(({ log }) => log.find(({ outcome }) => outcome === 'aborted'));
  release();
  expect((await inBatch).status).toBe(204);
  expect((await after).status).toBe(204);
  await halfClosed.closed;
  expect(halfClosed.received).toMatch(
    /^(?:HTTP\/1\.1 100 Continue\r\n\r\n)*HTTP\/1\.1 204 [\s\S]*^connection: close\r$/im,
  );
  const { text } = await service.ask('GET', LIST);
  const ids = (JSON.parse(text) as { id: number }[]).map(({ id }) => String(id));
  expect(ids).toStrictEqual([first, left, waiting, heard]);
  expect(JSON.parse((await service.ask('GET', `/v2/store/orders/${left}`)).text).status).toBe(
    'pending',
  );
  expect(JSON.parse((await service.ask('GET', `/v2/store/orders/${waiting}`)).text).status).toBe(
    'cancelled',
  );
});

it('refuses commands that wait for too long, and answers the one in a batch', async () => {
  await using service = await Service.start({ QUEUE_TARGET_MS: '20', QUEUE_INTERVAL_MS: '50' });
  const [first, second] = [await placeOrder(service), await placeOrder(service)];
  const release = holdLock(service);
  const inBatch = service.ask('DELETE', `${LIST}/${first}`);
  await setTimeout(200);
  const refused = await service.ask('DELETE', `${LIST}/${second}`);
  expectError(refused, 503, 'service_unavailable');
  expect(refused.headers['retry-after']).toMatch(/^[1-4]$/);
  // The stall lasts.
  expectError(await service.ask('DELETE', `${LIST}/${second}`), 503, 'service_unavailable');
  release();
  expect((await inBatch).status).toBe(204);
  const lines = await service.program.until(({ log }) => {
    const found = log.filter(({ msg }) => String(msg).includes('overloaded'));
    return found.length === 2 ? found : undefined;
  });
  expect(lines).toMatchObject([
    { level: 40, msg: 'overloaded: commands are refused', waiting: 0, targetMs: 20 },
    { level: 40, msg: 'no longer overloaded: commands are taken again', refused: 2 },
  ]);
  expect((await service.ask('DELETE', `${LIST}/${second}`)).status).toBe(204);
});
