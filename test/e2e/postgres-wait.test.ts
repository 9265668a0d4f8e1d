import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { isNightly, partByDay } from '../support/nightly.ts';
import { Cluster, placeInMemory } from '../support/postgres/cluster.ts';
import { newDatabase } from '../support/postgres/databases.ts';
import { Network } from '../support/postgres/network.ts';
import { sql } from '../support/postgres/sql.ts';
import { newFolder, Service, start } from '../support/service.ts';

/** Lets a busy machine find out why there is no connection, before the time for it is over. */
const PATIENT = 'connect_timeout=60';

/** A server for the tests that stop one or change its settings. */
let server: Cluster;
beforeAll(async () => {
  server = await Cluster.start(18, {}, placeInMemory());
  return () => server[Symbol.asyncDispose]();
});

/** Starts a service that has to wait, and then makes its database available. */
async function startAndMend(url: string, mend: () => unknown): Promise<Service> {
  const service = new Service();
  onTestFinished(() => service[Symbol.asyncDispose]());
  const starting = service.start({ DATABASE_URL: url, DATABASE_WAIT: '40' });
  await service.program.until(({ log }) => log.find(({ reason }) => reason !== undefined));
  await setTimeout(1_000);
  await mend();
  await starting;
  const said = service.program.log.filter(({ reason }) => reason === 'database_unreachable');
  expect(said.map(({ msg }) => msg)).toStrictEqual([
    'not ready: the service waits for its database',
    'recovered',
  ]);
  expect((await service.ask('GET', '/readyz')).status).toBe(200);
  return service;
}

describe('A start waits for a database', () => {
  it('at a port without a listener yet', async () => {
    await server.end();
    await startAndMend(server.url('postgres'), () => server.begin());
  });

  it('that does not answer', async () => {
    server.freeze();
    await startAndMend(server.url('postgres'), () => server.thaw());
  });

  // By day a server does not answer because it is frozen.
  it.runIf(isNightly)('behind a network that drops everything', async () => {
    const url = await newDatabase();
    const network = await Network.start(Number(new URL(url).port));
    onTestFinished(() => network[Symbol.asyncDispose]());
    network.fromClient = () => 'drop';
    await startAndMend(network.through(url), () => {
      network.fromClient = () => 'pass';
    });
  });

  it('in which another session holds a lock', async () => {
    const url = await newDatabase();
    const held = sql(
      url,
      'BEGIN; LOCK TABLE store_orders.events IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep(12); COMMIT',
    );
    const { program } = await startAndMend(`${url}?${PATIENT}`, () => held);
    expect(program.log.find(({ reason }) => reason === 'database_unreachable')).toMatchObject({
      cause: expect.stringMatching(
        /lock timeout\. Another session holds a lock: pg_locks shows which/,
      ),
    });
  });

  it('without a free connection', async () => {
    const url = await newDatabase();
    const user = `few_${new URL(url).pathname.slice(1)}`;
    await sql(url, `CREATE ROLE ${user} LOGIN IN ROLE store_orders_app CONNECTION LIMIT 0`);
    await startAndMend(url.replace('postgres@', `${user}@`), () =>
      sql(url, `ALTER ROLE ${user} CONNECTION LIMIT 20`),
    );
  });
});

/** Returns the outcome of a start, and its duration in milliseconds. */
async function ended(url: string, ...args: readonly string[]) {
  const began = performance.now();
  const program = start(['serve', ...args], newFolder(), { PORT: '0', DATABASE_URL: url });
  const code = await program.ended();
  return { code, said: program.stderr, tookMs: performance.now() - began };
}

/** A limit far above the duration of a start that does not wait, in milliseconds. */
const AT_ONCE_MS = 15_000;

describe('A start does not wait for a database', () => {
  it.each([
    ['longer than it is told', '1', / ECONNREFUSED .* Waited 1 s\.$/m],
    ['where it is told not to', '0', / ECONNREFUSED [^ ]+\.$/m],
  ])('%s', async (_, wait, words) => {
    const { code, said, tookMs } = await ended(
      `postgres://shop@127.0.0.1:1/orders?${PATIENT}`,
      '--wait',
      wait,
    );
    expect(code).toBe(1);
    expect(said).toMatch(words);
    expect(tookMs).toBeLessThan(AT_ONCE_MS);
  });

  it('that does not exist, with a wrong user or password, or without TLS', async () => {
    const url = await newDatabase();
    const all = [
      [`${url}_not`, /database "\w+_not" does not exist/],
      [url.replace('postgres@', 'nobody_at_all@'), /role "nobody_at_all" does not exist/],
      [`${url}?sslmode=require`, /does not support SSL/],
    ] as const;
    // Another user is refused below, too.
    for (const [wrong, words] of partByDay(all, 2)) {
      const { code, said, tookMs } = await ended(wrong);
      expect(code).toBe(1);
      expect(said).toMatch(words);
      expect(tookMs).toBeLessThan(AT_ONCE_MS);
    }
  });

  it('that requires a password, if it is missing or wrong', async () => {
    await server.sql(`CREATE ROLE shop LOGIN SUPERUSER PASSWORD 'right'`);
    const rules = ['all shop 127.0.0.1/32 scram-sha-256', 'all,replication postgres all trust'];
    const lines = rules.map((rule) => `host ${rule}\n`);
    writeFileSync(join(server.data, 'pg_hba.conf'), lines.join(''));
    await server.sql('SELECT pg_reload_conf()');
    const url = server.url('postgres', 'shop');
    for (const [address, words] of [
      [url, /the server asks for a password, and neither the address nor PGPASSWORD has one\.$/m],
      [url.replace('shop@', 'shop:wrong-one@'), /password authentication failed for user "shop"/],
    ] as const) {
      const { code, said, tookMs } = await ended(address);
      expect(code).toBe(1);
      expect(said).toMatch(words);
      expect(said).not.toContain('wrong-one');
      expect(tookMs).toBeLessThan(AT_ONCE_MS);
    }
    const service = await Service.start({ DATABASE_URL: url, PGPASSWORD: 'right' });
    await service[Symbol.asyncDispose]();
  });

  it('that falls silent behind the first answers', async () => {
    const url = await newDatabase();
    const network = await Network.start(Number(new URL(url).port));
    onTestFinished(() => network[Symbol.asyncDispose]());
    const pulse = { begins: false, asks: false };
    network.fromClient = (bytes, link) => {
      if (link.isMarked) pulse.asks = true;
      link.isMarked ||= bytes.includes('store-orders pulse');
      pulse.begins ||= link.isMarked;
      return 'pass';
    };
    // Only the connection for pings still opens, and then waits for its first answer.
    network.fromServer = (_, link) => {
      const isHeard = link.isMarked ? !pulse.asks : !pulse.begins;
      return isHeard ? 'pass' : 'drop';
    };
    const { code, said, tookMs } = await ended(network.through(url), '--wait', '0');
    expect(said).toMatch(/^store-orders: the database has not answered for \d+ ms\.?$/m);
    expect(code).toBe(1);
    expect(tookMs).toBeLessThan(AT_ONCE_MS);
  });

  it('after a signal to stop', async () => {
    const program = start(['serve'], newFolder(), {
      PORT: '0',
      DATABASE_URL: 'postgres://shop@127.0.0.1:1/orders',
    });
    await program.until(({ log }) => log.find(({ reason }) => reason === 'database_unreachable'));
    expect(await program.end('SIGTERM')).toBe(0);
  });

  // The last one: from then on commits of its primary wait for it.
  it('that is a standby', async () => {
    const standby = await server.standby();
    onTestFinished(() => standby[Symbol.asyncDispose]());
    const { code, said, tookMs } = await ended(standby.url('postgres'));
    expect(code).toBe(1);
    expect(said).toMatch(/cannot be opened: the server is a standby\.$/m);
    expect(tookMs).toBeLessThan(AT_ONCE_MS);
  });
});
