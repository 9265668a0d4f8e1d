import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { readHeadFile } from '../../src/infra/head/head-file.ts';
import { assertHolds } from '../kit/check.ts';
import { httpSession } from '../kit/targets/http.ts';
import { EventSource } from '../support/event-source.ts';
import { temporaryFolder } from '../support/folder.ts';
import { exactJson } from '../support/http.ts';
import { isNightly } from '../support/nightly.ts';
import { newDatabase } from '../support/postgres/databases.ts';
import { HAS_PROMTOOL, promtool } from '../support/promtool.ts';
import { bearer, Service, start } from '../support/service.ts';

const LIST = '/v1/store/orders';

/** When the first instance started, in milliseconds. */
const begunMs = performance.now();
/** The instances of all tests, which start simultaneously on an empty database as production starts them. */
let all: readonly [Service, Service, Service];

beforeAll(async () => {
  const url = await newDatabase(18, 'template1');
  const started = await Promise.all([1, 2, 3].map(() => Service.start({ DATABASE_URL: url })));
  all = started as [Service, Service, Service];
  return async () => {
    for (const service of all) await service[Symbol.asyncDispose]();
  };
});

/** Returns the ids that an instance lists. */
async function listedBy(service: Service): Promise<string[]> {
  const list = exactJson((await service.ask('GET', LIST)).text) as { id: bigint }[];
  return list.map(({ id }) => String(id));
}

it('Instances that start simultaneously on an empty database create one store', async () => {
  const answers = await Promise.all(
    all.map((service) => service.send('POST', LIST, { petId: 1, quantity: 1 })),
  );
  const ids = answers.map(({ text }) => (exactJson(text) as { id: bigint }).id);
  expect(ids.sort()).toStrictEqual([1n, 2n, 3n]);
});

it('A list from any instance shows at once what another has acknowledged', async () => {
  const ids = await listedBy(all[0]);
  for (let turn = 0; turn < (isNightly ? 60 : 24); turn++) {
    const [one, other] = [all[turn % 3], all[(turn + 1) % 3]] as [Service, Service];
    const placed = await one.send('POST', LIST, { petId: turn, quantity: 1 });
    expect(placed.status).toBe(201);
    ids.push(String(placed.headers.location).split('/').at(-1) as string);
    expect(await listedBy(other)).toStrictEqual(ids);
    if (turn % 2 === 0) {
      expect((await other.ask('DELETE', `${LIST}/${ids.at(-1)}`)).status).toBe(204);
      const shipment = `${LIST}/${ids.at(-1)}/shipment`;
      const shipped = await one.send('PUT', shipment, { shipDate: '2026-01-01T00:00:00Z' });
      expect(shipped.status).toBe(409);
    }
  }
});

it('The same Idempotency-Key sent to all instances simultaneously places one order', async () => {
  const rounds = isNightly ? 10 : 4;
  const [{ key }] = all;
  const before = await listedBy(all[2]);
  for (let round = 0; round < rounds; round++) {
    const headers = { 'Idempotency-Key': `"round-${round}"`, Authorization: `Bearer ${key}` };
    const answers = await Promise.all(
      [...all, ...all].map((service) =>
        service.send('POST', LIST, { petId: 7, quantity: 1 }, { headers }),
      ),
    );
    expect(answers.map(({ status }) => status)).toStrictEqual(answers.map(() => 201));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  }
  expect(await listedBy(all[2])).toHaveLength(before.length + rounds);
});

it('An event stream of one instance has the events recorded by another', async () => {
  const [one, other] = all;
  const source = new EventSource(one.key);
  await source.open(one.address);
  for (let order = 1; order <= 5; order++) {
    const { status, headers } = await other.send('POST', LIST, { petId: order, quantity: 1 });
    expect(status).toBe(201);
    const subject = `"subject":"${String(headers.location).split('/').at(-1)}"`;
    await source.until(({ received }) => received.find(({ data }) => data.includes(subject)));
  }
  source.cut();
});

it('The metrics show the pool, and how long batches wait for the lock of the log', async () => {
  const [one, other] = all;
  const scraped = async () => {
    const answer = await fetch(`${one.address}/metrics`, { headers: bearer(one.key) });
    const text = await answer.text();
    if (HAS_PROMTOOL)
      expect(promtool(['check', 'metrics'], text)).toEqual({ status: 0, output: '' });
    return new Map(text.split('\n').map((line) => splitAtEnd(line)));
  };
  const now = async (name: string) => (await scraped()).get(name);
  const { text } = await other.ask('GET', '/v2/store/summary');
  const before = Number(JSON.parse(text).asOf);
  let placed = 0;
  const lockWaits = async () => {
    const sent = [one, other].map((each) => each.send('POST', LIST, { petId: 1, quantity: 1 }));
    for (const { status } of await Promise.all(sent)) expect(status).toBe(201);
    placed += sent.length;
    return Number((await scraped()).get('store_orders_log_lock_wait_seconds_count'));
  };
  // Whoever appends behind another instance locks the log first. One that has heard of it is not behind.
  await expect.poll(lockWaits, { timeout: 60_000 }).toBeGreaterThan(0);
  const values = await scraped();
  const connections = ['idle', 'used'].map((state) =>
    Number(values.get(`store_orders_database_connections{state="${state}"}`)),
  );
  expect(Math.max(...connections)).toBeGreaterThan(0);
  const [waits, waitedS] = ['count', 'sum'].map((part) =>
    Number(values.get(`store_orders_log_lock_wait_seconds_${part}`)),
  ) as [number, number];
  expect(waitedS).toBeGreaterThan(0);
  expect(waitedS).toBeLessThanOrEqual((waits * (performance.now() - begunMs)) / 1_000);
  const patient = { timeout: 60_000 };
  await expect.poll(() => now('store_orders_database_connections_awaited'), patient).toBe('0');
  await expect.poll(() => now('store_orders_log_position'), patient).toBe(String(before + placed));
});

function splitAtEnd(line: string): [string, string] {
  const at = line.lastIndexOf(' ');
  return [line.slice(0, at), line.slice(at + 1)];
}

it('An order is placed though the head file cannot be written, which the log reports once', async () => {
  const folder = join(temporaryFolder(), 'heads');
  const service = await Service.start({
    DATABASE_URL: await newDatabase(),
    HEAD_FILE: join(folder, 'head'),
  });
  onTestFinished(() => service[Symbol.asyncDispose]());
  const place = async () => (await service.send('POST', LIST, { petId: 1, quantity: 1 })).status;
  const lines = (text: string) =>
    service.program.stdout.split('\n').filter((l) => l.includes(text));
  expect(await place()).toBe(201);
  rmSync(folder, { recursive: true });
  // The file is missed at the first write a second later.
  const FAILS = 'the head file cannot be written';
  await expect
    .poll(async () => [await place(), lines(FAILS).length], { interval: 200 })
    .toStrictEqual([201, 1]);
  expect([await place(), lines(FAILS).length]).toStrictEqual([201, 1]);
  expect(JSON.parse(lines(FAILS)[0] as string)).toMatchObject({
    level: 40,
    cause: expect.stringMatching(/^ENOENT/),
  });
  expect((await service.ask('GET', LIST)).status).toBe(200);
  expect((await service.ask('GET', '/readyz')).status).toBe(200);
  mkdirSync(folder);
  await expect.poll(() => lines('the head file is written again')).toHaveLength(1);
  expect(readHeadFile(join(folder, 'head'))?.position).toBeGreaterThan(2);
});

it('The service on PostgreSQL conforms to the contract', async () => {
  const [{ folder, address, key }] = all;
  // By day without the long list and the pause, which are the same for both engines.
  const extent = isNightly ? ['--runs', '20'] : ['--runs', '10', '--pause', '0', '--orders', '0'];
  const args = ['conformance', `${address}/v1`, '--key', key, ...extent];
  const program = start(args, folder);
  expect(await program.ended(), program.stdout).toBe(0);
});

it('Every response is that of the oracle, for any commands, while instances are killed', async () => {
  const target = {
    name: 'instances on PostgreSQL',
    async open() {
      const DATABASE_URL = await newDatabase();
      let serving = await Service.start({ DATABASE_URL });
      const { key } = serving;
      const session = httpSession(`${serving.address}/v1`, {
        key,
        isShared: false,
        // Another instance takes over: a running one, or a new one.
        async restart() {
          const next = await Service.start({ DATABASE_URL });
          await serving[Symbol.asyncDispose]();
          serving = next;
          return `${serving.address}/v1`;
        },
      });
      return { ...session, close: () => serving[Symbol.asyncDispose]() };
    },
  };
  const does = ['place', 'ship', 'cancel', 'get', 'list', 'restart'] as const;
  await assertHolds(target, { runs: isNightly ? 3 : 2, maxSteps: 30, maxOrders: 8, does });
});
