import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { placeOrder } from '../support/one-service.ts';
import { newDatabase } from '../support/postgres/databases.ts';
import { sql } from '../support/postgres/sql.ts';
import { RawClient } from '../support/raw-client.ts';
import { Service } from '../support/service.ts';

const SLOW_MS = 300;
const HOLD_MS = 600;
const LIST = '/v1/store/orders';

async function started(url?: string): Promise<Service> {
  const database = url === undefined ? {} : { DATABASE_URL: url };
  const service = await Service.start({ ...database, SLOW_REQUEST_MS: String(SLOW_MS) });
  onTestFinished(() => service[Symbol.asyncDispose]());
  return service;
}

/** Runs statements in a transaction that stays open until the promise it resolves with is called. */
async function held(url: string, statement: string): Promise<() => Promise<void>> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query(`BEGIN; ${statement}`);
  return async () => {
    await client.query('ROLLBACK');
    await client.end();
  };
}

function slowLines({ program }: Service) {
  return program.log.filter(({ msg }) => msg === 'slow request');
}

/** Resolves when the commit of a command waits for a lock. */
async function isLocked(url: string): Promise<void> {
  const waits =
    "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()";
  await expect.poll(() => sql(url, waits)).toHaveLength(1);
}

/** Resolves when a command waits for its turn behind the one whose commit is under way. */
async function isQueued(service: Service): Promise<void> {
  const metrics = async () => (await service.ask('GET', '/metrics')).text;
  await expect.poll(metrics).toMatch(/^store_orders_commands_waiting 1$/m);
}

it('A cancellation behind a lock on the log is slow in its commit, and the next in the queue', async () => {
  const url = await newDatabase();
  const service = await started(url);
  const [one, other] = [await placeOrder(service), await placeOrder(service)];
  const release = await held(url, 'SELECT FROM store_orders.tree FOR UPDATE');
  const cancelled = service.ask('DELETE', `${LIST}/${one}`);
  await isLocked(url);
  const next = service.ask('DELETE', `${LIST}/${other}`);
  await isQueued(service);
  await setTimeout(HOLD_MS);
  await release();
  const answers = await Promise.all([cancelled, next]);
  expect(answers.map(({ status }) => status)).toEqual([204, 204]);
  const [first, second] = await service.program.until(() => {
    const byRequest = new Map(slowLines(service).map((line) => [line.requestId, line]));
    const lines = answers.map(({ headers }) => byRequest.get(String(headers['x-request-id'])));
    return lines.includes(undefined) ? undefined : lines;
  });
  expect(first).toMatchObject({ operation: 'v1 cancelOrder', status: 204, level: 40 });
  expect(first?.commitMs).toBeGreaterThan(SLOW_MS);
  expect(first?.queueMs).toBeLessThan(SLOW_MS);
  expect(second?.queueMs).toBeGreaterThan(SLOW_MS);
});

it('A read is slow in catching up while the head of the log cannot be read', async () => {
  const url = await newDatabase();
  const service = await started(url);
  const id = await placeOrder(service);
  const release = await held(url, 'LOCK TABLE store_orders.tree IN ACCESS EXCLUSIVE MODE');
  const read = service.ask('GET', `${LIST}/${id}`);
  await setTimeout(HOLD_MS);
  await release();
  const { status, headers } = await read;
  expect(status).toBe(200);
  const line = await service.program.until(() => {
    return slowLines(service).find(({ requestId }) => requestId === headers['x-request-id']);
  });
  expect(line).toMatchObject({ operation: 'v1 getOrder', queueMs: 0, commitMs: 0 });
  expect(line.catchUpMs).toBeGreaterThan(SLOW_MS);
});

it('A request is slow in its body if its client leaves without sending it', async () => {
  const service = await started();
  const head = `HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.key}\r\nContent-Type: application/json\r\n`;
  using client = new RawClient(service.address);
  client.send(`POST ${LIST} ${head}Content-Length: 100\r\n\r\n{`);
  await setTimeout(HOLD_MS);
  client.socket.resetAndDestroy();
  const line = await service.program.until(() => slowLines(service)[0]);
  expect(line).toMatchObject({ operation: 'v1 placeOrder' });
  expect(line).not.toHaveProperty('status');
  expect(line.bodyMs).toBeGreaterThan(SLOW_MS);
});

it('An event stream is not slow, however long it is open', async () => {
  const service = await started();
  const headers = { Accept: 'text/event-stream', Authorization: `Bearer ${service.key}` };
  // As long as there is a reference to it: fetch ends the request of an answer that nobody can read.
  const stream = await fetch(`${service.address}/v1/store/events`, { headers });
  await setTimeout(2 * SLOW_MS);
  await stream.body?.cancel();
  const line = await service.program.until(({ log }) => {
    return log.find(({ path }) => path === '/v1/store/events');
  });
  expect(line.durationMs).toBeGreaterThan(SLOW_MS);
  await service.ask('GET', '/livez');
  await service.program.until(({ log }) => log.find(({ path }) => path === '/livez'));
  expect(slowLines(service).map(({ path }) => path)).not.toContain('/v1/store/events');
});
