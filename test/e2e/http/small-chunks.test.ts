import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { oneService, placeOrder } from '../../support/one-service.ts';
import { RawClient } from '../../support/raw-client.ts';
import type { Program } from '../../support/service.ts';
import { startedWitness } from '../../support/started-witness.ts';
import { leavesOf, WitnessedLog } from '../../support/witnessed-log.ts';

const { service } = await oneService();
const KEY = `Authorization: Bearer ${service.key}\r\n`;
const BATCH = '/v2/store/orders:batchPlace';
const HEAD = `HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n`;
const POST = `POST ${BATCH} ${HEAD}${KEY}Content-Type: application/json\r\n\r\n`;
const STREAM = `GET /v1/store/events HTTP/1.1\r\nHost: x\r\n${KEY}Accept: text/event-stream\r\n\r\n`;
const BYTES = '1\r\n \r\n'.repeat(130_000);
/** Chunks of one byte each took 400 bytes: 50 MB a client. */
const CLIENTS = 20;
/** Garbage, and what the buffers of both sides hold; with the defect, 800 MB. */
const MEGABYTES = 250;

function megabytes({ child }: Program): number {
  return (
    Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1_024
  );
}

/** Sends bytes as many clients, which go on until a text is received or the connection ends. */
async function sendAll(address: string, bytes: string, text: string): Promise<readonly string[]> {
  const clients = Array.from({ length: CLIENTS }, () => new RawClient(address));
  for (const client of clients) client.send(bytes);
  await Promise.all(clients.map((client) => client.until(text).catch(() => {})));
  for (const client of clients) client.socket.destroy();
  return clients.map(({ received }) => received);
}

/** Returns a chunk with a text. */
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;

it.each([
  ['a line of 64 bytes', /.{1,64}/g],
  ['a token', /"\w+"|\d+|[{}[\],:]/g],
])('A batch is placed that comes as many chunks, each with %s', async (_what, part) => {
  const orders = Array.from({ length: 100 }, (_, n) => ({ petId: String(n + 1), quantity: 1 }));
  const parts = JSON.stringify({ orders }).match(part) ?? [];
  using client = new RawClient(service.address);
  client.send(`${POST}${parts.map(chunk).join('')}0\r\n\r\n`);
  await client.until('"status":201');
  expect(client.received).toMatch(/^HTTP\/1\.1 200 /);
});

describe('Chunks of one byte take no memory that their bytes do not explain:', () => {
  it('in a batch, which is a 413', async () => {
    const before = megabytes(service.program);
    for (const received of await sendAll(service.address, `${POST}${BYTES}`, '}'))
      expect(received).toMatch(/^HTTP\/1\.1 413 .*"code":"payload_too_large"/s);
    expect(megabytes(service.program) - before).toBeLessThan(MEGABYTES);
  });

  it('in requests that wait for their turn', async () => {
    const before = megabytes(service.program);
    await sendAll(service.address, `${STREAM}${POST}${BYTES}`, 'retry: ');
    // Everything that was sent is read, or no longer read.
    await placeOrder(service);
    expect(megabytes(service.program) - before).toBeLessThan(MEGABYTES);
  });

  it('in a submission to a witness', async () => {
    const log = new WitnessedLog(leavesOf(1));
    const [started, address] = await startedWitness(log);
    await using program = started;
    const before = megabytes(program);
    for (const received of await sendAll(address, `POST /add-checkpoint ${HEAD}\r\n${BYTES}`, '}'))
      expect(received).toMatch(/^HTTP\/1\.1 (413|429) /);
    expect(megabytes(program) - before).toBeLessThan(MEGABYTES);
  });
});

it('Long bodies under way take 32 MiB together: more are a 503, and short ones are read', async () => {
  const clients = Array.from({ length: 400 }, () => new RawClient(service.address));
  const part = chunk(' '.repeat(120_000));
  for (const client of clients) client.send(`${POST}${part}`);
  await Promise.any(clients.map((client) => client.until('"code":"service_unavailable"')));
  await placeOrder(service);
  for (const client of clients) client.socket.destroy();
  // Their room is free again.
  await expect
    .poll(async () => {
      const order = { petId: '1', quantity: 1 };
      const body = JSON.stringify({ orders: [order] }).padEnd(130_000);
      return (await service.send('POST', BATCH, body)).status;
    })
    .toBe(200);
});
