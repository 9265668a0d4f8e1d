import { rmSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Beside } from '../support/beside.ts';
import { freePort } from '../support/free-port.ts';
import { type Answer, ask, expectError } from '../support/http.ts';
import { bearer, type Program, Service, start } from '../support/service.ts';

const ORDERS = 200_000;

/** A store that has no server. */
let service: Service;
beforeAll(async () => {
  service = await Service.start();
  await using beside = new Beside(service.databaseFile);
  await beside.place(Array.from({ length: ORDERS }, (_, n) => ({ id: BigInt(n) })));
  await service.program.end();
});
afterAll(() => service[Symbol.asyncDispose]());

it('While it reads the log, the service is alive, not ready, and refuses requests', async () => {
  const PORT = String(await freePort());
  const address = `http://127.0.0.1:${PORT}`;
  const seen: Answer[] = [];
  // It may be ready before the first request, which is correct but tests nothing.
  while (!seen.some(({ status }) => status >= 300)) {
    // With a snapshot there would be no log to read.
    rmSync(`${service.databaseFile}-snapshot`, { force: true });
    await using program = start(['serve'], service.folder, { PORT });
    seen.push(...(await answersUntilReady(program, address, service.key)));
    const list = await ask(address, 'GET', '/v1/store/orders', { headers: bearer(service.key) });
    expect(JSON.parse(list.text)).toHaveLength(ORDERS);
  }
  for (const answer of seen.filter(({ status }) => status >= 300)) {
    expect(expectError(answer, 503, 'service_unavailable')).toMatch('starting');
  }
  // It may become ready during a round, and serve the last of its requests.
  const cancelled = seen.some(({ status }) => status === 204) ? 1 : 0;
  await using beside = new Beside(service.databaseFile);
  expect(await beside.head()).toBe(ORDERS + cancelled);
});

/** Sends requests from the start on, and returns the responses. */
async function answersUntilReady(program: Program, address: string, key: string) {
  const seen: Answer[] = [];
  const requests = [
    ['GET', '/readyz'],
    ['GET', '/livez'],
    ['GET', '/v1/store/orders/1'],
    ['DELETE', '/v1/store/orders/1'],
  ] as const;
  const isReady = ({ log }: Program) => log.some(({ msg }) => msg === 'ready');
  while (!isReady(program)) {
    for (const [method, path] of requests) {
      const headers = bearer(key);
      const answer = await ask(address, method, path, { headers }).catch(refusedConnection);
      if (answer !== undefined) seen.push(answer);
    }
  }
  return seen;
}

it('SIGTERM while it reads the log stops the service cleanly', async () => {
  const PORT = String(await freePort());
  const alive = () => ask(`http://127.0.0.1:${PORT}`, 'GET', '/livez').catch(refusedConnection);
  // It may be ready before the signal arrives, which is a clean stop of another kind.
  for (let said = 'not tried'; said !== ''; ) {
    // With a snapshot there would be no log to read.
    rmSync(`${service.databaseFile}-snapshot`, { force: true });
    await using program = start(['serve'], service.folder, { PORT });
    while ((await alive()) === undefined);
    expect(await program.end('SIGTERM')).toBe(0);
    said = program.stderr;
  }
});

function refusedConnection(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ECONNREFUSED') throw error;
}
