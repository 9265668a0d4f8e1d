import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { ERRORS } from '../../../src/http/api-error.ts';
import { tableOf } from '../../docs/markdown.ts';
import { ask, expectError } from '../../support/http.ts';
import { oneService } from '../../support/one-service.ts';
import { HAS_PROMTOOL, promtool } from '../../support/promtool.ts';
import { RawClient } from '../../support/raw-client.ts';
import { bearer } from '../../support/service.ts';

const { service, beside } = await oneService({ METRICS_PORT: '0' });
const METRICS_ADDRESS = new URL(
  String(service.program.log.find(({ msg }) => msg === 'metrics')?.address),
).origin;
const OPEN_METRICS = { Accept: 'application/openmetrics-text; version=1.0.0, text/plain;q=0.5' };
const ORDERS = '/v1/store/orders';

/** Sends a request that the description of the API does not describe. */
async function get(address: string, path: string, init: RequestInit = {}) {
  const answer = await fetch(`${address}${path}`, init);
  const type = answer.headers.get('content-type');
  return { status: answer.status, type, body: await answer.text() };
}

/** Returns the metrics as a Prometheus gets them, by name and labels. */
async function scraped(): Promise<ReadonlyMap<string, number>> {
  const { status, body: text } = await get(METRICS_ADDRESS, '/metrics');
  expect(status).toBe(200);
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(lines.map((line) => [line.replace(/ \S+$/, ''), Number(line.split(' ').at(-1))]));
}

it('Requests, errors, batches and events are counted', async () => {
  const before = await scraped();
  const placed = await service.send('POST', ORDERS, { petId: 7, quantity: 1 });
  const { id } = JSON.parse(placed.text);
  await service.ask('DELETE', `${ORDERS}/${id}`);
  await service.ask('DELETE', `${ORDERS}/${id}`);
  await service.ask('HEAD', ORDERS);
  await service.ask('GET', '/nowhere');
  await ask(service.address, 'GET', '/v2/store/orders');
  const after = await scraped();
  const rise = (name: string) => (after.get(name) ?? Number.NaN) - (before.get(name) ?? 0);
  const requests = (operation: string, method: string, status: string) =>
    rise(
      `http_server_request_duration_seconds_count{operation="${operation}",method="${method}",status="${status}"}`,
    );
  expect(requests('v1 placeOrder', 'POST', '2xx')).toBe(1);
  expect(requests('v1 cancelOrder', 'DELETE', '2xx')).toBe(2);
  expect(requests('v1 listOrders', 'HEAD', '2xx')).toBe(1);
  expect(requests('v2 listOrders', 'GET', '4xx')).toBe(1);
  expect(requests('', 'GET', '4xx')).toBe(1);
  expect(rise('store_orders_errors_total{code="unauthorized"}')).toBe(1);
  expect(rise('store_orders_errors_total{code="not_found"}')).toBe(1);
  expect(rise('store_orders_batch_commands_sum')).toBe(3);
  expect(rise('store_orders_batch_duration_seconds_count')).toBe(3);
  expect(rise('store_orders_events_total{type="OrderPlaced"}')).toBe(1);
  expect(rise('store_orders_events_total{type="OrderCancelled"}')).toBe(1);
  expect(rise('store_orders_log_position')).toBe(2);
  expect(after.get('store_orders_list_lag_events')).toBeGreaterThanOrEqual(0);
  expect(after.get('store_orders_commands_waiting')).toBe(0);
  expect(after.get('store_orders_commands_oldest_seconds')).toBe(0);
  expect(after.get('store_orders_commands_shed_total{reason="refused"}')).toBe(0);
  expect(after.get('store_orders_connections')).toBeGreaterThan(0);
  expect(after.get('store_orders_connections_ended_total{reason="slow"}')).toBe(0);
  expect(after.get('store_orders_old_lists_bytes')).toBe(0);
  expect(rise('store_orders_list_catch_up_seconds_count')).toBeGreaterThan(0);
  // Of an engine that the store does not have, a metric is named, and has no value.
  const names = [...after.keys()];
  expect(names.filter((name) => /_(?:database_connections|log_lock_wait)/.test(name))).toEqual([]);
  expect(after.get('process_cpu_seconds_total')).toBeGreaterThan(0);
  expect(after.get('process_resident_memory_bytes')).toBeGreaterThan(10_000_000);
});

it('Requests that end before their response are no successes', async () => {
  const before = await scraped();
  const head = `POST ${ORDERS} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.key}\r\n`;
  const FRAMING = 'Content-Type: application/json\r\nContent-Length: 100\r\n';
  using client = new RawClient(service.address);
  client.send(`${head}${FRAMING}Expect: 100-continue\r\n\r\n`);
  await client.until('100 Continue');
  client.socket.resetAndDestroy();
  const line = await service.program.until(({ log }) =>
    log.find(({ method, outcome }) => method === 'POST' && outcome === 'aborted'),
  );
  expect(line).not.toHaveProperty('status');
  const after = await scraped();
  const count = (status: string) => {
    const labels = `operation="v1 placeOrder",method="POST",status="${status}"`;
    const name = `http_server_request_duration_seconds_count{${labels}}`;
    return (after.get(name) ?? 0) - (before.get(name) ?? 0);
  };
  expect([count('aborted'), count('2xx')]).toEqual([1, 0]);
});

it('Errors for bytes that are no request are counted', async () => {
  const ERRORS_OF = 'store_orders_errors_total{code="invalid_request"}';
  const before = (await scraped()).get(ERRORS_OF) ?? 0;
  using client = new RawClient(service.address);
  client.send('FOO / HTTP/1.1\r\n\r\n');
  await client.closed;
  expect(client.received).toMatch(/^HTTP\/1\.1 400 /);
  expect((await scraped()).get(ERRORS_OF)).toBe(before + 1);
});

it('Methods that are unusual share their series', async () => {
  const count = (metrics: ReadonlyMap<string, number>) => {
    const labels = 'operation="",method="_OTHER",status="4xx"';
    return metrics.get(`http_server_request_duration_seconds_count{${labels}}`) ?? 0;
  };
  const before = await scraped();
  for (const method of ['PURGE', 'PROPFIND', 'LINK', 'M-SEARCH']) {
    await service.ask(method, '/nowhere');
  }
  const after = await scraped();
  expect(count(after) - count(before)).toBe(4);
  const methods = [...after.keys()].flatMap((name) => /,method="(.+?)"/.exec(name)?.[1] ?? []);
  const KNOWN = /^(?:DELETE|GET|HEAD|OPTIONS|PATCH|POST|PUT|QUERY|TRACE|_OTHER)$/;
  expect(methods.filter((method) => !KNOWN.test(method))).toEqual([]);
});

it('A duration has as many series as the page of metrics says', async () => {
  const [, said] = /have (\d+) for each operation, method and class of status/.exec(
    readFileSync('docs/operations/metrics.md', 'utf8'),
  ) as RegExpExecArray;
  await service.ask('GET', ORDERS);
  const names = [...(await scraped()).keys()];
  const ofLists = names.filter((name) =>
    /^http_server_.*operation="v1 listOrders",method="GET",status="2xx"/.test(name),
  );
  expect(ofLists).toHaveLength(Number(said));
});

it('Durations are in seconds', async () => {
  const HELD_MS = 400;
  // The clocks of two processes, and timers, are exact to a few milliseconds.
  const HELD_S = HELD_MS / 1_000 - 0.01;
  const begun = performance.now();
  const before = await scraped();
  // Nothing can be recorded meanwhile.
  const db = new Database(service.databaseFile);
  db.exec('BEGIN IMMEDIATE');
  const place = () => service.send('POST', ORDERS, { petId: 7, quantity: 1 });
  const held: ReturnType<typeof place>[] = [];
  // Two batches at most are under way; whoever comes then has to wait. One that has only just come
  // waits for a moment, too, before its batch begins.
  let oldestWaitedS = 0;
  do {
    held.push(place());
    await setTimeout(50);
    oldestWaitedS = (await scraped()).get('store_orders_commands_oldest_seconds') as number;
  } while (oldestWaitedS < 0.1);
  await setTimeout(HELD_MS);
  const during = await scraped();
  const duringS = (performance.now() - begun) / 1_000;
  db.exec('ROLLBACK');
  db.close();
  await Promise.all(held);
  await service.ask('GET', ORDERS);
  const after = await scraped();
  const afterS = (performance.now() - begun) / 1_000;

  const oldestS = during.get('store_orders_commands_oldest_seconds') as number;
  expect(oldestS).toBeGreaterThanOrEqual(HELD_S);
  expect(oldestS).toBeLessThanOrEqual(duringS);
  const rise = (name: string) => (after.get(name) ?? Number.NaN) - (before.get(name) ?? 0);
  const PLACED = 'operation="v1 placeOrder",method="POST",status="2xx"';
  const requests = (part: string, more = '') =>
    rise(`http_server_request_duration_seconds_${part}{${PLACED}${more}}`);
  expect(requests('count')).toBe(held.length);
  // One at least was in a batch, and one waited.
  expect(requests('bucket', ',le="0.25"')).toBeLessThanOrEqual(held.length - 2);
  expect(requests('sum')).toBeGreaterThanOrEqual(2 * HELD_S);
  expect(requests('sum')).toBeLessThanOrEqual(held.length * afterS);
  const batches = rise('store_orders_batch_duration_seconds_count');
  const batchesS = rise('store_orders_batch_duration_seconds_sum');
  expect(batchesS).toBeGreaterThanOrEqual(HELD_S);
  expect(batchesS).toBeLessThanOrEqual(batches * afterS);
  const catchUps = rise('store_orders_list_catch_up_seconds_count');
  expect(rise('store_orders_list_catch_up_seconds_sum')).toBeLessThanOrEqual(catchUps * afterS);
});

it('The age of a checkpoint is shown from the first one on', async () => {
  expect((await scraped()).has('store_orders_checkpoint_age_seconds')).toBe(false);
  const place = () => service.send('POST', ORDERS, { petId: 7, quantity: 1 });
  const begunMs = performance.now();
  let ageS: number | undefined;
  await expect
    .poll(
      async () => {
        await Promise.all(Array.from({ length: 500 }, place));
        ageS = (await scraped()).get('store_orders_checkpoint_age_seconds');
        return ageS;
      },
      { timeout: 200_000 },
    )
    .toBeGreaterThanOrEqual(0);
  expect(ageS).toBeLessThanOrEqual((performance.now() - begunMs) / 1_000);
});

it('An error code in a label is one of the contract', async () => {
  for (const name of (await scraped()).keys()) {
    const [, code] = /^store_orders_errors_total{code="(\w+)"}$/.exec(name) ?? [];
    if (code !== undefined) expect(Object.keys(ERRORS)).toContain(code);
  }
});

it('The page of metrics lists exactly those that there are, with their kinds and meanings', async () => {
  const { body: text } = await get(METRICS_ADDRESS, '/metrics');
  const helps = new Map(
    text.matchAll(/^# HELP (\S+) (.*)$/gm).map(([, name, help]) => [name, help]),
  );
  const kinds = [...text.matchAll(/^# TYPE (\S+) (.*)$/gm)].map(([, name, kind]) => [name, kind]);
  expect(tableOf('docs/operations/metrics.md', 'metric | labels | kind | what it is')).toEqual(
    kinds
      .filter(([name = '']) => /^(?:store_orders|http)_/.test(name))
      .map(([name = '', kind]) => [name, expect.any(String), kind, helps.get(name)]),
  );
});

it('They are shown in the format that the client asks for', async () => {
  const plain = await get(METRICS_ADDRESS, '/metrics');
  expect(plain.type).toBe('text/plain; version=0.0.4; charset=utf-8');
  expect(plain.body).toContain('# TYPE store_orders_events_total counter\n');
  const open = await get(METRICS_ADDRESS, '/metrics', { headers: OPEN_METRICS });
  expect(open.type).toBe('application/openmetrics-text; version=1.0.0; charset=utf-8');
  expect(open.body).toContain('# TYPE store_orders_events counter\nstore_orders_events_total{');
  expect(open.body).toContain('# TYPE process_cpu_seconds counter\nprocess_cpu_seconds_total ');
  expect(open.body.endsWith('\n# EOF\n')).toBe(true);
  // To print one of them has not changed the other.
  const again = await get(METRICS_ADDRESS, '/metrics');
  const names = (text: string) => text.match(/^# TYPE .*$/gm);
  expect(names(again.body)).toEqual(names(plain.body));
});

it.skipIf(!HAS_PROMTOOL)('promtool has nothing to say about them', async () => {
  const { body: text } = await get(METRICS_ADDRESS, '/metrics');
  expect(promtool(['check', 'metrics'], text)).toEqual({ status: 0, output: '' });
});

it('On the port of the API they are for keys with the scope metrics:read alone', async () => {
  const statusWith = async (headers: Record<string, string>, method = 'GET') => {
    const { status, body } = await get(service.address, '/metrics', { method, headers });
    return [status, status === 200 || method === 'HEAD' ? undefined : JSON.parse(body).code];
  };
  const monitoring = bearer(await beside.addKey(['metrics:read']));
  const client = bearer(await beside.addKey(['orders:read', 'orders:write', 'audit:read']));
  expect(await statusWith({})).toEqual([401, 'unauthorized']);
  expect(await statusWith(client)).toEqual([403, 'insufficient_scope']);
  expect(await statusWith(monitoring)).toEqual([200, undefined]);
  expect(await statusWith(monitoring, 'HEAD')).toEqual([200, undefined]);
  expect(await statusWith(monitoring, 'POST')).toEqual([405, 'method_not_allowed']);
  const orders = await ask(service.address, 'GET', ORDERS, { headers: monitoring });
  expectError(orders, 403, 'insufficient_scope');
});

it('The port of their own serves nothing else', async () => {
  const answers = await Promise.all([
    get(METRICS_ADDRESS, '/metrics', { method: 'HEAD' }),
    get(METRICS_ADDRESS, '/metrics?module=orders', { method: 'HEAD' }),
    get(METRICS_ADDRESS, '/metrics/orders', { method: 'HEAD' }),
    get(METRICS_ADDRESS, ORDERS, { headers: bearer(service.key) }),
    get(METRICS_ADDRESS, '/metrics', { method: 'DELETE' }),
  ]);
  expect(answers.map(({ status, body }) => [status, body])).toEqual([
    [200, ''],
    [200, ''],
    [404, ''],
    [404, ''],
    [405, ''],
  ]);
});
