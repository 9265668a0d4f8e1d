import { expect, it } from 'vitest';
import { expectError } from '../../support/http.ts';
import { oneService, placeOrder } from '../../support/one-service.ts';
import { bearer, Service } from '../../support/service.ts';

const { service, beside } = await oneService();
const SUMMARY = '/v2/store/summary';
const ACTIVITY = '/v2/store/activity';

async function get(path: string) {
  const answer = await service.ask('GET', path);
  expect(answer.status, answer.text).toBe(200);
  return JSON.parse(answer.text);
}

await placeOrder(service);
const second = await placeOrder(service);
const third = await placeOrder(service);
await service.send('PUT', `/v1/store/orders/${second}/shipment`, {
  shipDate: '2026-03-04T09:00:00Z',
});
const { headers } = await service.ask('DELETE', `/v1/store/orders/${third}`);
const head = Number(headers['event-position']);

it('The summary counts the orders of each status, and shows every command before it', async () => {
  expect(await get(SUMMARY)).toStrictEqual({
    asOf: head,
    lastEventAt: expect.stringMatching(/Z$/),
    orders: { total: 3, pending: 1, shipped: 1, cancelled: 1 },
  });
});

it('The summary of a moment counts what was there then', async () => {
  const orders = { total: 3, pending: 2, shipped: 1, cancelled: 0 };
  expect(await get(`${SUMMARY}?asOf=${head - 1}`)).toMatchObject({ asOf: head - 1, orders });
  expect(await get(`${SUMMARY}?asOf=0`)).toStrictEqual({
    asOf: 0,
    orders: { total: 0, pending: 0, shipped: 0, cancelled: 0 },
  });
  const { lastEventAt } = await get(SUMMARY);
  expect(await get(`${SUMMARY}?asOf=${lastEventAt}`)).toMatchObject({ asOf: head });
});

it('The summary of a moment that has not come is a 400', async () => {
  const answer = await service.ask('GET', `${SUMMARY}?asOf=${head + 1}`);
  expectError(answer, 400, 'invalid_request');
  expect(answer.text).toContain(`the log ends at position ${head}`);
  expectError(
    await service.ask('GET', `${SUMMARY}?asOf=9999-01-01T00:00:00Z`),
    400,
    'invalid_request',
  );
});

it('The summary is not sent again while nothing has changed', async () => {
  const { etag } = (await service.ask('GET', SUMMARY)).headers;
  const asked = { headers: { 'If-None-Match': String(etag) } };
  expect(await service.ask('GET', SUMMARY, asked)).toMatchObject({ status: 304, text: '' });
  const earlier = await service.ask('GET', `${SUMMARY}?asOf=${head - 1}`, asked);
  expect(earlier.status).toBe(200);
});

it('The activity counts the events of today, in days, hours and minutes', async () => {
  const now = { placed: 3, shipped: 1, cancelled: 1 };
  for (const [query, count] of [
    ['', 30],
    ['?bucket=day', 30],
    ['?bucket=hour', 24],
    ['?bucket=minute', 60],
  ] as const) {
    const { data, from, to, ...rest } = await get(`${ACTIVITY}${query}`);
    expect(rest).toStrictEqual({ asOf: head, bucket: query.split('=')[1] ?? 'day' });
    expect(data).toHaveLength(count);
    expect(data[0].start).toBe(from);
    expect(Date.parse(to)).toBeGreaterThan(Date.now() - 1);
    const { start, ...counts } = data.at(-1);
    expect(start < to).toBe(true);
    // The minute, hour or day may have ended since the first event.
    const [before] = data.slice(-2, -1);
    const sum = (name: keyof typeof now) => counts[name] + before[name];
    expect([sum('placed'), sum('shipped'), sum('cancelled')]).toStrictEqual(Object.values(now));
  }
});

it('The activity of a range has the whole buckets that it touches', async () => {
  const range = 'from=2026-01-01T12:30:00%2B01:00&to=2026-01-01T13:00:00Z';
  expect(await get(`${ACTIVITY}?bucket=hour&${range}`)).toStrictEqual({
    asOf: head,
    bucket: 'hour',
    from: '2026-01-01T11:00:00.000Z',
    to: '2026-01-01T13:00:00.000Z',
    data: [11, 12].map((hour) => {
      const start = `2026-01-01T${hour}:00:00.000Z`;
      return { start, placed: 0, shipped: 0, cancelled: 0 };
    }),
  });
  const backwards = 'from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z';
  expect(await get(`${ACTIVITY}?${backwards}`)).toMatchObject({ data: [] });
  const last = 'from=9999-12-31T00:00:00Z&to=9999-12-31T23:59:59.999Z';
  expect((await get(`${ACTIVITY}?${last}`)).data).toHaveLength(1);
});

it.each([
  ['bucket=day&to=0000-01-01T00:00:00Z', []],
  ['bucket=day&to=0000-01-02T00:00:00.001Z', ['01T00:00', '02T00:00']],
  ['bucket=hour&to=0000-01-01T03:00:00Z', ['01T00:00', '01T01:00', '01T02:00']],
  ['bucket=minute&to=0000-01-01T00:01:00Z', ['01T00:00']],
  ['bucket=minute&to=0000-01-01T00:01:00.0001Z', ['01T00:00', '01T00:01']],
])('The activity begins at the first moment of all: %s', async (query, starts) => {
  const { from, data } = await get(`${ACTIVITY}?${query}`);
  expect(from).toBe('0000-01-01T00:00:00.000Z');
  expect(data.map(({ start }: { start: string }) => start)).toStrictEqual(
    starts.map((start) => `0000-01-${start}:00.000Z`),
  );
});

it('The activity of more than a thousand buckets is a 400', async () => {
  const hours = (count: number) => `${new Date(count * 3_600_000).toISOString()}`;
  const ask = (count: number) =>
    service.ask('GET', `${ACTIVITY}?bucket=hour&from=${hours(0)}&to=${hours(count)}`);
  expect((await ask(1_000)).status).toBe(200);
  const refused = await ask(1_001);
  expectError(refused, 400, 'invalid_request');
  expect(refused.text).toContain('1001 buckets');
});

it('A key needs orders:read', async () => {
  const asked = { headers: bearer(await beside.addKey(['orders:write'])) };
  for (const path of [SUMMARY, ACTIVITY]) {
    expectError(await service.ask('GET', path, asked), 403, 'insufficient_scope');
  }
});

it('A store without orders has a summary and an activity of nothing', async () => {
  await using fresh = await Service.start();
  expect(JSON.parse((await fresh.ask('GET', SUMMARY)).text)).toStrictEqual({
    asOf: 0,
    orders: { total: 0, pending: 0, shipped: 0, cancelled: 0 },
  });
  const { data } = JSON.parse((await fresh.ask('GET', ACTIVITY)).text);
  for (const { start, ...counts } of data) {
    expect(counts).toStrictEqual({ placed: 0, shipped: 0, cancelled: 0 });
    expect(start).toMatch(/T00:00:00\.000Z$/);
  }
});
