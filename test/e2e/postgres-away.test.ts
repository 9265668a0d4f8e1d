import { setTimeout } from 'node:timers/promises';
import { describe, type TestContext, test } from 'vitest';
import { mintKeyText } from '../../src/app/keys/api-key.ts';
import { exactJson } from '../support/http.ts';
import { isNightly, partByDay } from '../support/nightly.ts';
import { type BehindNetwork, behindNetwork } from '../support/postgres/behind-network.ts';
import { Cluster, placeInMemory } from '../support/postgres/cluster.ts';
import { bearer, Service } from '../support/service.ts';
import { untilReady } from '../support/until-ready.ts';

const LIST = '/v1/store/orders';
const BODY = { petId: 7, quantity: 1 };
/** How long an outage lasts, in milliseconds. */
const OUTAGE_MS = 2_500;
/**
 * The longest response time during an outage, in milliseconds: a second where nothing else runs, and
 * less than the outage itself on any machine.
 */
const BOUND_MS = 2_000;

async function given(context: TestContext): Promise<BehindNetwork> {
  return behindNetwork(context, await Cluster.start(18, {}, placeInMemory()));
}

/**
 * Waits until a service has connections to spare. While a standby is silent it gets no new ones, and
 * answers from those that it has.
 */
async function untilConnected({ cluster, service }: BehindNetwork): Promise<void> {
  const idle = `SELECT count(*)::integer AS open FROM pg_stat_activity
                 WHERE application_name = 'store-orders' AND state = 'idle'`;
  for (;;) {
    // Each unknown key is looked up on a connection of its own.
    const headers = () => ({ headers: bearer(mintKeyText()) });
    const asked = Array.from({ length: 6 }, () => service.ask('GET', LIST, headers()));
    await Promise.all(asked);
    const [row] = await cluster.sql<{ open: number }>(idle);
    if (row !== undefined && row.open > 3) return;
  }
}

/** The kinds of outage of a database, each with its end. */
const OUTAGES: Readonly<
  Record<string, readonly [(on: BehindNetwork) => unknown, (on: BehindNetwork) => unknown]>
> = {
  'all its processes hang': [({ cluster }) => cluster.freeze(), ({ cluster }) => cluster.thaw()],
  'the network swallows everything': [
    ({ network }) => {
      network.fromClient = () => 'drop';
      network.fromServer = () => 'drop';
    },
    ({ network }) => {
      network.fromClient = () => 'pass';
      network.fromServer = () => 'pass';
    },
  ],
  'its answers are swallowed': [
    ({ network }) => {
      network.fromServer = () => 'drop';
    },
    ({ network }) => {
      network.fromServer = () => 'pass';
    },
  ],
  'it is stopped': [({ cluster }) => cluster.end(), ({ cluster }) => cluster.begin()],
  'it has crashed': [({ cluster }) => cluster.end('SIGQUIT'), ({ cluster }) => cluster.begin()],
  'connections are refused': [
    ({ network }) => {
      network.isOpen = false;
      network.cutAll();
    },
    ({ network }) => {
      network.isOpen = true;
    },
  ],
};

/**
 * Sends a request every few milliseconds, each with its own Idempotency-Key, until told to stop.
 */
async function askOften(service: Service, until: Promise<unknown>) {
  const asked: Promise<{ key: string; status: number; code: unknown; tookMs: number }>[] = [];
  let isOver = false;
  // On a busy machine, responses also wait for this process.
  let lateMs = 0;
  until.finally(() => {
    isOver = true;
  });
  for (let number = 1; !isOver; number++) {
    const key = `"${number}"`;
    const began = performance.now();
    const request =
      number % 3 === 0
        ? service.ask('GET', LIST)
        : service.send(
            'POST',
            LIST,
            BODY,
            number % 3 === 1 ? { headers: { 'Idempotency-Key': key } } : {},
          );
    asked.push(
      request.then(({ status, text }) => {
        const code = status < 400 ? undefined : (JSON.parse(text) as { code: string }).code;
        return { key, status, code, tookMs: performance.now() - began };
      }),
    );
    const slept = performance.now();
    await setTimeout(20);
    lateMs = Math.max(lateMs, performance.now() - slept - 20);
  }
  return { answers: await Promise.all(asked), lateMs };
}

describe.concurrent('During an outage of its database:', () => {
  // By day a database that hangs, one that is heard and not answering, and one that has crashed.
  test.for(partByDay(Object.keys(OUTAGES), 2))(
    '%s, an instance answers all the same',
    async (name, context) => {
      const { expect } = context;
      const on = await given(context);
      const { service } = on;
      const [begin, end] = OUTAGES[name] as (typeof OUTAGES)[string];
      await service.send('POST', LIST, BODY);
      const outage = (async () => {
        await setTimeout(300);
        await begin(on);
        await setTimeout(OUTAGE_MS);
      })();
      const { answers, lateMs } = await askOften(service, outage);
      const slowest = Math.max(...answers.map(({ tookMs }) => tookMs));
      console.log(
        `${name}: ${answers.length} answers, the slowest after ${Math.round(slowest)} ms`,
      );
      expect(slowest).toBeLessThan(BOUND_MS + lateMs);
      const refused = answers.filter(({ status }) => status >= 400);
      expect(refused.length).toBeGreaterThan(5);
      for (const { status, code } of refused) {
        expect(status).toBe(503);
        expect(['service_unavailable', 'outcome_unknown']).toContain(code);
      }
      expect((await service.ask('GET', '/livez')).status).toBe(200);
      expect((await service.ask('GET', '/readyz')).status).toBe(503);
      await end(on);
      await untilReady(service, 200);
      // A retry with the same key returns the existing order, or places it.
      const locations = new Map<string, unknown>();
      for (const { key } of answers.filter((_, index) => index % 3 === 0)) {
        const again = await service.send('POST', LIST, BODY, {
          headers: { 'Idempotency-Key': key },
        });
        expect(again.status).toBe(201);
        locations.set(key, again.headers.location);
      }
      expect(new Set(locations.values()).size).toBe(locations.size);
      const list = exactJson((await service.ask('GET', LIST)).text) as unknown[];
      const unkeyed = answers.filter((_, index) => index % 3 === 1);
      const done = unkeyed.filter(({ status }) => status === 201).length;
      const unknown = unkeyed.filter(({ code }) => code === 'outcome_unknown').length;
      expect(list.length).toBeGreaterThanOrEqual(1 + locations.size + done);
      expect(list.length).toBeLessThanOrEqual(1 + locations.size + done + unknown);
      expect(service.program.child.exitCode).toBe(null);
    },
  );
});

test.concurrent('an instance whose database hangs stops cleanly, before and after it notices', async (context) => {
  const { expect } = context;
  const { cluster, service } = await given(context);
  for (const waitMs of [0, 1_500]) {
    const instance =
      waitMs === 0 ? service : await Service.start({ DATABASE_URL: cluster.url('postgres') });
    cluster.freeze();
    await setTimeout(waitMs);
    expect(await instance.program.end('SIGTERM')).toBe(0);
    cluster.thaw();
  }
});

test.concurrent('a database that answers again is found, even if a first question is lost', async (context) => {
  const { network, service } = await given(context);
  network.fromClient = () => 'drop';
  network.fromServer = () => 'drop';
  await untilReady(service, 503);
  let lost = 0;
  network.fromServer = () => 'pass';
  network.fromClient = (bytes, link) => {
    // Of one connection after another: what asks for the state, and then a ping.
    const isNext = bytes.includes(['SELECT pg_is_in_recovery() AS', 'SyncRep'][lost] ?? '\0never');
    if (isNext) {
      lost += 1;
      link.isMarked = true;
    }
    return link.isMarked ? 'drop' : 'pass';
  };
  await untilReady(service, 200);
  context.expect(lost).toBe(2);
  context.expect((await service.send('POST', LIST, BODY)).status).toBe(201);
});

test.concurrent('a database whose commits take 900 ms is slow, not unreachable', async (context) => {
  const { expect } = context;
  const { network, service } = await given(context);
  network.fromServer = async (bytes, link) => {
    // The server's message at the end of a writing statement, or of a transaction.
    if (link.isMarked) await setTimeout(900);
    link.isMarked = false;
    return bytes.length > 0 ? 'pass' : 'drop';
  };
  network.fromClient = (bytes, link) => {
    if (bytes.includes('write_events') || bytes.includes('COMMIT\0')) link.isMarked = true;
    return 'pass';
  };
  const { answers } = await askOften(service, setTimeout(isNightly ? 6_000 : 3_500));
  const placed = answers.filter((_, index) => index % 3 !== 2);
  expect(placed.filter(({ status }) => status !== 201)).toStrictEqual([]);
  expect(Math.max(...placed.map(({ tookMs }) => tookMs))).toBeGreaterThan(900);
  expect(answers.filter(({ status }) => status >= 400)).toStrictEqual([]);
  expect(
    service.program.log.filter(({ reason }) => reason === 'database_unreachable'),
  ).toStrictEqual([]);
});

test.concurrent('a silent synchronous standby is reported, and commands are answered in time', async (context) => {
  const { expect } = context;
  const on = await given(context);
  const { cluster, service } = on;
  expect((await service.send('POST', LIST, BODY)).status).toBe(201);
  await untilConnected(on);
  await cluster.sql(`ALTER SYSTEM SET synchronous_standby_names = 'nobody'`);
  await cluster.sql('SELECT pg_reload_conf()');
  await setTimeout(300);
  const began = performance.now();
  const first = await service.send('POST', LIST, BODY);
  expect(first.status).toBe(503);
  expect(exactJson(first.text)).toMatchObject({ code: 'outcome_unknown' });
  expect(performance.now() - began).toBeLessThan(6_000);
  const ready = await service.ask('GET', '/readyz');
  expect(ready.status).toBe(503);
  expect(ready.text).toContain('(standby_silent)');
  // The end of what waits confirms nothing: the event is visible now, and is not on the standby.
  await cluster.sql(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'`,
  );
  await setTimeout(1_000);
  expect((await service.ask('GET', '/readyz')).text).toContain('(standby_silent)');
  // A read on a new connection is refused: it may show what is not on the standby.
  const list = await service.ask('GET', LIST);
  if (list.status === 200) expect(exactJson(list.text)).toHaveLength(1);
  else expect(exactJson(list.text)).toMatchObject({ code: 'service_unavailable' });
  const second = await service.ask('DELETE', `${LIST}/1`);
  expect(exactJson(second.text)).toMatchObject({ code: 'service_unavailable' });
  expect(service.program.log.find(({ reason }) => reason === 'standby_silent')).toMatchObject({
    level: 50,
  });
  await cluster.sql('ALTER SYSTEM RESET synchronous_standby_names');
  await cluster.sql('SELECT pg_reload_conf()');
  await untilReady(service, 200);
  expect((await service.ask('DELETE', `${LIST}/1`)).status).toBe(204);
  expect(exactJson((await service.ask('GET', LIST)).text)).toHaveLength(2);
});
