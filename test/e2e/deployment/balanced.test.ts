import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { mintKeyText } from '../../../src/app/keys/api-key.ts';
import { freePort } from '../../support/free-port.ts';
import { ask, exactJson } from '../../support/http.ts';
import { newDatabase } from '../../support/postgres/databases.ts';
import { sql } from '../../support/postgres/sql.ts';
import { addressOf, bearer, newFolder, Program, Service, start } from '../../support/service.ts';
import { canMount, coverReadOnly } from '../../support/small-disk.ts';

/** The system of compose.yaml on this machine: the roles, `migrate`, instances, a balancer. */

const LIST = '/v1/store/orders';
const PASSWORD = "it's secret";

/** Creates a database with the script that compose.yaml runs, and `migrate`. */
async function preparedDatabase(): Promise<{ admin: string; orders: string }> {
  const script = readFileSync('docs/deployment/roles.sh', 'utf8');
  const [, statements = ''] = /<<'SQL'\n(.*)^SQL$/ms.exec(script) ?? [];
  const admin = await newDatabase(18, 'template1');
  // Roles belong to the whole server, on which other tests create roles of the same name.
  const user = `orders_${process.pid}`;
  await sql(
    admin,
    statements
      .replace(/CREATE ROLE store_orders_app NOLOGIN;/, '')
      .replace('CREATE ROLE orders', `CREATE ROLE ${user}`)
      .replace(":'password'", `'${PASSWORD.replace("'", "''")}'`)
      .replace('IN ROLE store_orders_app', ''),
  );
  onTestFinished(async () => {
    await sql(admin, `DROP OWNED BY ${user}; DROP ROLE ${user}`);
  });
  const migrated = start(['migrate'], newFolder(), { DATABASE_URL: admin });
  expect(await migrated.ended(), migrated.stderr).toBe(0);
  await sql(admin, `GRANT store_orders_app TO ${user}`);
  const orders = new URL(admin);
  orders.username = user;
  orders.password = PASSWORD;
  return { admin, orders: orders.href };
}

test("As the script's role, the service appends to the log, and nobody changes it", async () => {
  const { admin, orders } = await preparedDatabase();
  await using service = await Service.start({ DATABASE_URL: orders });
  const placed = await service.send('POST', LIST, { petId: 7, quantity: 1 });
  expect(placed.status).toBe(201);
  expect((await service.ask('DELETE', String(placed.headers.location))).status).toBe(204);
  for (const statement of [
    `UPDATE store_orders.events SET data = '{}'`,
    'DELETE FROM store_orders.events',
    'TRUNCATE store_orders.events',
    'DROP TRIGGER events_never_change ON store_orders.events',
    'ALTER TABLE store_orders.events DISABLE TRIGGER ALL',
    'CREATE TABLE store_orders.other ()',
  ]) {
    await expect(sql(orders, statement), statement).rejects.toThrow(
      /permission denied|must be owner/,
    );
  }
  const [row] = await sql<{ count: string }>(admin, 'SELECT count(*) FROM store_orders.events');
  expect(row?.count).toBe('2');
});

/** Returns the head files that compose.yaml gives to its instances, and where it mounts their volume. */
function headFilesOfCompose() {
  const compose = readFileSync('compose.yaml', 'utf8');
  const [, volume = ''] = /^ {2}volumes:\n {4}- keys:(\S+)$/m.exec(compose) ?? [];
  const instances = [...compose.matchAll(/^ {2}\w+:\n {4}<<: \*instance\n((?: {4,}.*\n)*)/gm)];
  return {
    volume,
    headFiles: instances.map(([, settings = '']) => /^ +HEAD_FILE: (\S+)$/m.exec(settings)?.[1]),
  };
}

test('Each instance of compose.yaml has a head file of its own on the volume', async () => {
  const { volume, headFiles } = headFilesOfCompose();
  expect(headFiles).toHaveLength(2);
  expect(new Set(headFiles).size).toBe(2);
  const { orders } = await preparedDatabase();
  const [root, mounted] = [newFolder(), newFolder()];
  const INITIAL_API_KEY = mintKeyText();
  const headers = { ...bearer(INITIAL_API_KEY), 'Content-Type': 'application/json' };
  // As the root of its containers, where the tests may mount.
  if (canMount) onTestFinished(coverReadOnly(root));
  for (const headFile of headFiles) {
    expect(headFile).toContain(`${volume}/`);
    const HEAD_FILE = String(headFile).replace(volume, mounted);
    const env = { DATABASE_URL: orders, PORT: '0', HEAD_FILE, INITIAL_API_KEY };
    for (const isFirst of [true, false]) {
      await using program = start(['serve'], root, env);
      const address = await addressOf(program);
      const body = '{"petId":7,"quantity":1}';
      expect((await ask(address, 'POST', LIST, { headers, body })).status).toBe(201);
      const warnings = program.log.filter(({ level }) => level === 40);
      expect(warnings.map(({ msg }) => msg)).toEqual(
        isFirst ? [expect.stringContaining(`there was no ${HEAD_FILE}`)] : [],
      );
      expect(await program.end()).toBe(0);
    }
  }
});

/** A delay longer than the balancer takes to notice that an instance stops, in seconds. */
const STOP_DELAY = '4';

const haproxy = spawnSync('haproxy', ['-v']).status === 0;

test.skipIf(!haproxy)('Behind the balancer, the stop of an instance causes no error', async () => {
  const { orders } = await preparedDatabase();
  const [one, two] = [
    await Service.start({ DATABASE_URL: orders, STOP_DELAY }),
    await Service.start({ DATABASE_URL: orders, STOP_DELAY }),
  ];
  onTestFinished(async () => {
    await one[Symbol.asyncDispose]();
    await two[Symbol.asyncDispose]();
  });
  const port = await freePort();
  const config = join(newFolder(), 'haproxy.cfg');
  writeFileSync(
    config,
    readFileSync('docs/deployment/haproxy.cfg', 'utf8')
      .replace('bind :8080', `bind 127.0.0.1:${port}`)
      .replace('one:3000', new URL(one.address).host)
      .replace('two:3000', new URL(two.address).host),
  );
  await using balancer = new Program('haproxy', ['-db', '-f', config], resolve('.'), {});
  const address = `http://127.0.0.1:${port}`;
  const headers = { ...bearer(one.key), 'Content-Type': 'application/json' };
  const body = JSON.stringify({ petId: 7, quantity: 1 });
  await ready(address);
  let isGone = false;
  const leave = async () => {
    await setTimeout(500);
    const code = await two.program.end('SIGTERM');
    isGone = true;
    expect(code).toBe(0);
  };
  // Sequential requests, from before the stop until the other instance has been alone for a
  // while.
  const client = async (agent: Agent): Promise<number[]> => {
    const statuses: number[] = [];
    for (let left = 10; left > 0; left -= isGone ? 1 : 0) {
      statuses.push((await ask(address, 'POST', LIST, { headers, body, agent })).status);
      await setTimeout(10);
    }
    agent.destroy();
    return statuses;
  };
  const agents = Array.from({ length: 6 }, (_, n) => new Agent({ keepAlive: n % 2 === 0 }));
  const [, ...statuses] = await Promise.all([leave(), ...agents.map(client)]);
  const placed = statuses.flat();
  expect(new Set(placed)).toEqual(new Set([201]));
  const list = exactJson((await ask(address, 'GET', LIST, { headers })).text) as unknown[];
  expect(list).toHaveLength(placed.length);
  // The stopped instance had served requests, without errors.
  const said = two.program.log;
  expect(said.filter(({ path, status }) => path === LIST && status === 201)).not.toEqual([]);
  expect(said.filter(({ level, path }) => Number(level) >= 50 && path !== '/readyz')).toEqual([]);
  expect(balancer.child.exitCode).toBeNull();
});

/** Waits until the balancer has found a ready instance. */
async function ready(address: string): Promise<void> {
  for (;;) {
    const status = await fetch(`${address}/readyz`).then(
      (answer) => answer.status,
      () => 0,
    );
    if (status === 200) return;
    await setTimeout(50);
  }
}
