import { once } from 'node:events';
import { expect, it, onTestFinished } from 'vitest';
import { RawClient } from '../support/raw-client.ts';
import { type Program, Service } from '../support/service.ts';
import { startedWitness } from '../support/started-witness.ts';
import { leavesOf, WitnessedLog } from '../support/witnessed-log.ts';

const HOST = 'HTTP/1.1\r\nHost: x\r\n';
const CONNECT = `CONNECT x:1 ${HOST}\r\n`;
const UPGRADE = `GET /livez ${HOST}Connection: upgrade\r\nUpgrade: x\r\n\r\n`;
/** Of clients that send {@link CONNECT}, one to nine ended a service with the defect. */
const CLIENTS = 60;

/** Sends bytes as many clients, each of which resets its connection, and then as one that waits. */
async function reset(address: string, bytes: string): Promise<void> {
  for (let n = 0; n < CLIENTS; n++) {
    using client = new RawClient(address, false);
    await once(client.socket, 'connect');
    client.send(bytes);
    // Some before the first byte of an answer, some while the answers are written.
    const readable = new Promise((resolve) => client.socket.once('readable', resolve));
    if (n % 2 === 0) await Promise.race([readable, client.closed]);
    else await new Promise((resolve) => client.socket.write('', resolve));
    client.socket.resetAndDestroy();
  }
}

/** Expects a program to answer still, and to have logged nothing but what it does each day. */
async function expectUnharmed(program: Program, url: string, status: number): Promise<void> {
  expect((await fetch(url)).status).toBe(status);
  expect(program.log.filter(({ level }) => Number(level) > 30)).toStrictEqual([]);
  expect(await program.end()).toBe(0);
}

async function started() {
  // A machine under load answers some requests slowly, which is logged.
  const service = await Service.start({ METRICS_PORT: '0', SLOW_REQUEST_MS: '0' });
  onTestFinished(() => service[Symbol.asyncDispose]());
  const metrics = service.program.log.find(({ msg }) => msg === 'metrics')?.address as string;
  return { service, metrics };
}

const PAGES = `GET /docs/v2 ${HOST}\r\n`.repeat(25);

it.each([
  ['CONNECT', CONNECT],
  ['CONNECT behind other requests', `${PAGES}${CONNECT}`],
  ['CONNECT with bytes behind it', `${CONNECT}${'x'.repeat(10_000)}`],
  ['an offer to upgrade', `${UPGRADE}${UPGRADE}`],
  ['HTTP/2', `${PAGES}PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n`],
  ['what is not HTTP', `${PAGES}x\r\n\r\n`],
  ['an expectation', `POST /v1/store/orders ${HOST}Expect: 100-continue\r\n\r\n`],
])('A service survives clients that send %s and reset the connection', async (_what, bytes) => {
  const { service } = await started();
  await reset(service.address, bytes);
  await expectUnharmed(service.program, `${service.address}/livez`, 200);
});

it('A service survives one that waits for CONNECT behind an event stream', async () => {
  const { service } = await started();
  using client = new RawClient(service.address, false);
  const key = `Authorization: Bearer ${service.key}\r\nAccept: text/event-stream\r\n`;
  client.send(`GET /v1/store/events ${HOST}${key}\r\n${CONNECT}`);
  await once(client.socket, 'readable');
  client.socket.resetAndDestroy();
  // Its end is noticed, and its place is free again.
  await service.program.until(({ log }) => log.find(({ outcome }) => outcome === 'aborted'));
  await expectUnharmed(service.program, `${service.address}/livez`, 200);
});

it('The port of the metrics survives clients that reset the connection', async () => {
  const { service, metrics } = await started();
  const scrapes = `GET /metrics ${HOST}\r\n`.repeat(5);
  for (const bytes of [CONNECT, `${scrapes}${CONNECT}`, `${scrapes}${UPGRADE}`, `${scrapes}x`])
    await reset(metrics, bytes);
  await expectUnharmed(service.program, metrics, 200);
});

it('A witness survives clients that send CONNECT and reset the connection', async () => {
  const log = new WitnessedLog(leavesOf(1));
  const [started, address] = await startedWitness(log);
  await using program = started;
  const path = `/${'0'.repeat(64)}/checkpoint`;
  const others = `GET ${path} ${HOST}\r\n`.repeat(25);
  for (const bytes of [CONNECT, `${others}${CONNECT}`]) await reset(address, bytes);
  await expectUnharmed(program, `${address}${path}`, 404);
});
