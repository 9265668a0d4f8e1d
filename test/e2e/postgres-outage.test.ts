import { setTimeout } from 'node:timers/promises';
import { type TestContext, test } from 'vitest';
import { exactJson, expectError } from '../support/http.ts';
import { type BehindNetwork, behindNetwork } from '../support/postgres/behind-network.ts';
import { Cluster } from '../support/postgres/cluster.ts';
import { Service } from '../support/service.ts';
import { untilReady } from '../support/until-ready.ts';

const LIST = '/v1/store/orders';

async function given(context: TestContext): Promise<BehindNetwork> {
  return behindNetwork(context, await Cluster.start());
}

test.concurrent('An instance whose database is unreachable reports it, refuses requests, and recovers', async (context) => {
  const { expect } = context;
  const { cluster, service } = await given(context);
  const body = { petId: 7, quantity: 1 };
  expect((await service.send('POST', LIST, body)).status).toBe(201);
  for (const signal of ['SIGQUIT', 'SIGINT'] as const) {
    await cluster.end(signal);
    await untilReady(service, 503);
    expectError(await service.ask('GET', LIST), 503, 'service_unavailable');
    expectError(await service.ask('GET', `${LIST}/1`), 503, 'service_unavailable');
    expectError(await service.send('POST', LIST, body), 503, 'service_unavailable');
    expectError(await service.ask('DELETE', `${LIST}/1`), 503, 'service_unavailable');
    expect((await service.ask('GET', '/livez')).status).toBe(200);
    const { status, text } = await service.ask('GET', '/metrics');
    expect(status).toBe(200);
    expect(text).toContain('\nstore_orders_not_ready{reason="database_unreachable"} 1\n');
    await cluster.begin();
    await untilReady(service, 200);
    expect(exactJson((await service.ask('GET', LIST)).text)).toHaveLength(1);
  }
  expect((await service.ask('DELETE', `${LIST}/1`)).status).toBe(204);
  const said = service.program.log.map(({ msg }) => msg);
  expect(said).toContain('not ready: the service waits for its database');
  expect(said).toContain('recovered');
  expect(service.program.child.exitCode).toBe(null);
});

test.concurrent('A request whose reply from the database is lost is answered, and carried out once', async (context) => {
  const { expect } = context;
  const { network, service } = await given(context);
  let commits = 0;
  network.fromClient = (bytes, link) => {
    // Not the first transaction, whose messages end in other bytes.
    if (bytes.includes('COMMIT\0')) commits += 1;
    link.isMarked = bytes.includes('COMMIT\0') && commits % 3 === 0;
    return link.isMarked && commits % 2 === 0 ? 'cut' : 'pass';
  };
  network.fromServer = (_bytes, link) => (link.isMarked ? 'cut' : 'pass');
  const statuses: number[] = [];
  for (let order = 1; order <= 30; order++) {
    const headers = { 'Idempotency-Key': `"order-${order}"` };
    for (;;) {
      const body = { petId: order, quantity: 1 };
      const { status } = await service.send('POST', LIST, body, { headers });
      statuses.push(status);
      if (status === 201) break;
      expect(status).toBe(503);
      await setTimeout(50);
    }
  }
  const list = exactJson((await service.ask('GET', LIST)).text) as { petId: bigint }[];
  expect(list.map(({ petId }) => Number(petId))).toStrictEqual(
    Array.from({ length: 30 }, (_, index) => index + 1),
  );
  expect(statuses).toContain(503);
  expect(service.program.child.exitCode).toBe(null);
});

test.concurrent('A stop while the database is unreachable is clean and in time', async (context) => {
  const { expect } = context;
  const { cluster, service } = await given(context);
  await cluster.end('SIGQUIT');
  await untilReady(service, 503);
  expect(await service.program.end('SIGTERM')).toBe(0);
});

test.concurrent('A start without a database prints the reason, without the password', async (context) => {
  const { expect } = context;
  const { cluster, service } = await given(context);
  await cluster.end();
  const url = `postgres://shop:secret@127.0.0.1:${cluster.port}/postgres`;
  const other = new Service();
  await expect(other.start({ DATABASE_URL: url, DATABASE_WAIT: '0' })).rejects.toThrow(
    /postgres:\/\/127\.0\.0\.1:\d+\/postgres cannot be opened: /,
  );
  expect(other.program.stderr + other.program.stdout).not.toContain('secret');
  expect(service.program.stdout).not.toContain('secret');
});
