import { gunzipSync } from 'node:zlib';
import Papa from 'papaparse';
import { expect, it, test } from 'vitest';
import { expectError } from '../../support/http.ts';
import { oneService, placeOrder } from '../../support/one-service.ts';

const { service, beside } = await oneService();
const LIST = '/v2/store/orders';
const COLUMNS = [
  ...['id', 'petId', 'quantity', 'shipDate', 'complete', 'status'],
  ...['placedAt', 'shippedAt', 'cancelledAt', 'cancelReason'],
];
const HEADER = `${COLUMNS.join(',')}\r\n`;

const ask = (query = '', headers: Record<string, string> = {}, method = 'GET') =>
  service.ask(method, `${LIST}${query}`, { headers: { Accept: 'text/csv', ...headers } });

/** The orders in a body of CSV, as a reader of others finds them. */
function ordersIn(text: string): Record<string, string>[] {
  expect(text.startsWith(HEADER)).toBe(true);
  expect(text.endsWith('\r\n')).toBe(true);
  const { data, errors } = Papa.parse<Record<string, string>>(text, {
    header: true,
    skipEmptyLines: true,
  });
  expect(errors).toStrictEqual([]);
  return data;
}

/** The same orders by pages of JSON. */
async function ordersByPage(query: Record<string, string>): Promise<object[]> {
  const orders: object[] = [];
  for (let after: string | null | undefined; after !== null; ) {
    const asked = new URLSearchParams(after === undefined ? query : { ...query, after });
    const { text } = await service.ask('GET', `${LIST}?${asked}`);
    const { data, next } = JSON.parse(text);
    orders.push(...data);
    after = next;
  }
  return orders;
}

/** An order of JSON as a line of CSV has it. */
function asCells(order: object): Record<string, string> {
  const named = order as Record<string, unknown>;
  return Object.fromEntries(COLUMNS.map((name) => [name, String(named[name] ?? '')]));
}

await beside.place(
  Array.from({ length: 1_203 }, (_, index) => {
    return { id: BigInt(index - 3) * 3n, petId: BigInt(index % 5) };
  }),
);
await service.send('PUT', `${LIST}/3/shipment`, { shipDate: '2026-01-02T00:00:00Z' });
await service.send('PUT', `${LIST}/6/cancellation`, { reason: 'duplicate' });
await service.ask('DELETE', `${LIST}/9`);

test.each<Record<string, string>>([
  {},
  { petId: '3' },
  { status: 'cancelled' },
  { complete: 'true' },
  { order: 'desc', fromId: '2000' },
  { id: '6,3,9,4' },
  { petId: '99' },
  { asOf: '1000' },
])('As CSV, the list has the orders of all pages: %o', async (query) => {
  const answer = await ask(`?${new URLSearchParams(query)}`);
  expect(answer.status).toBe(200);
  expect(answer.headers['content-type']).toBe('text/csv; charset=utf-8; header=present');
  const pages = await ordersByPage(query);
  expect(ordersIn(answer.text)).toStrictEqual(pages.map(asCells));
});

it('goes on behind a page', async () => {
  const { data, next } = JSON.parse((await service.ask('GET', `${LIST}?limit=1000`)).text);
  const { text } = await ask(`?after=${next}`);
  expect(ordersIn(text)).toHaveLength(1_203 - data.length);
  expectError(await ask('?after=x'), 400, 'invalid_request');
});

it('has no pages: limit is for those alone', async () => {
  const answer = await ask('?limit=1');
  expect(ordersIn(answer.text)).toHaveLength(1_203);
  expect(answer.headers).not.toHaveProperty('link');
});

it('is compressed for those who take that, and has an ETag of its own for each form', async () => {
  const plain = await ask();
  const compressed = await ask('', { 'Accept-Encoding': 'gzip' });
  expect(compressed.headers['content-encoding']).toBe('gzip');
  expect(gunzipSync(compressed.body).toString()).toBe(plain.text);
  const page = await service.ask('GET', LIST);
  const tags = [plain, compressed, page].map(({ headers }) => String(headers.etag));
  expect(new Set(tags).size).toBe(3);
  expect(plain.headers.vary).toContain('Accept');
  for (const [tag, headers] of [
    [tags[0], {}],
    [tags[1], { 'Accept-Encoding': 'gzip' }],
  ] as const) {
    const again = await ask('', { ...headers, 'If-None-Match': String(tag) });
    expect(again).toMatchObject({ status: 304, text: '' });
  }
  const other = await ask('', { 'If-None-Match': String(tags[2]) });
  expect(other.status).toBe(200);
});

it('is JSON for those who prefer it, or accept anything', async () => {
  for (const accept of ['*/*', 'application/json', 'application/json, text/csv', 'text/html']) {
    const answer = await ask('?limit=1', { Accept: accept });
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
  }
  const preferred = await ask('?limit=1', { Accept: 'application/json;q=0.5, text/csv' });
  expect(preferred.headers['content-type']).toContain('text/csv');
});

it('answers HEAD with the headers alone', async () => {
  const head = await ask('', {}, 'HEAD');
  expect(head).toMatchObject({ status: 200, text: '' });
  expect(head.headers['content-type']).toContain('text/csv');
});

it('is of one moment, whatever happens while it is sent', async () => {
  const [answer] = await Promise.all([
    ask('', { 'Accept-Encoding': 'identity' }),
    ...Array.from({ length: 20 }, () => placeOrder(service)),
  ]);
  const asOf = /-(\d+)-csv"$/.exec(String(answer?.headers.etag))?.[1] ?? '';
  const pages = await ordersByPage({ asOf });
  expect(ordersIn(answer?.text ?? '')).toStrictEqual(pages.map(asCells));
});
