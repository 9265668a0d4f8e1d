import { gunzipSync } from 'node:zlib';
import { describe, expect, it, test } from 'vitest';
import { exactJson, expectError } from '../../support/http.ts';
import { oneService, placeOrder } from '../../support/one-service.ts';
import { Service } from '../../support/service.ts';

const { service, beside } = await oneService();
const LIST = '/v2/store/orders';

interface Page {
  readonly data: readonly (Record<string, unknown> & { readonly id: string })[];
  readonly next: string | null;
}

function ask(query: Record<string, string> | string = '', headers: Record<string, string> = {}) {
  const text = typeof query === 'string' ? query : `${new URLSearchParams(query)}`;
  return service.ask('GET', text === '' ? LIST : `${LIST}?${text}`, { headers });
}

async function find(query: Record<string, string> = {}): Promise<Page> {
  const answer = await ask(query);
  expect(answer.status, answer.text).toBe(200);
  return exactJson(answer.text) as Page;
}

/** The ids of all pages, by following `next`. */
async function idsOf(query: Record<string, string> = {}): Promise<string[]> {
  const ids: string[] = [];
  for (let next: string | null | undefined; next !== null; ) {
    const page: Page = await find(next === undefined ? query : { ...query, after: next });
    ids.push(...page.data.map(({ id }) => id));
    next = page.next;
  }
  return ids;
}

const ship = (id: string, shipDate: string) =>
  service.send('PUT', `${LIST}/${id}/shipment`, { shipDate });

// Three pets, every state, dates and none.
const pending = await placeOrder(service, { petId: 1, shipDate: '2026-02-01T00:00:00Z' });
const undated = await placeOrder(service, { petId: 2 });
const shipped = await placeOrder(service, { petId: 1, shipDate: '2026-02-01T00:00:00Z' });
await ship(shipped, '2026-02-03T00:00:00Z');
const cancelled = await placeOrder(service, { petId: 3, shipDate: '2026-02-02T00:00:00Z' });
await service.ask('DELETE', `${LIST}/${cancelled}`);
await beside.place([{ id: -7n, petId: 2n ** 63n - 1n }]);

describe('listOrders of version 2', () => {
  it('shows an order with its status and its times', async () => {
    const { data } = await find();
    const times = { placedAt: expect.stringMatching(/Z$/) };
    const [first, , , third, fourth] = data;
    expect(first).toStrictEqual({
      id: '-7',
      petId: '9223372036854775807',
      quantity: 1n,
      complete: false,
      status: 'pending',
      ...times,
    });
    expect(third).toStrictEqual({
      id: shipped,
      petId: '1',
      quantity: 1n,
      shipDate: '2026-02-03T00:00:00.000Z',
      complete: true,
      status: 'shipped',
      ...times,
      shippedAt: expect.stringMatching(/Z$/),
    });
    expect(fourth).toMatchObject({ status: 'cancelled', cancelledAt: expect.any(String) });
    expect(fourth).not.toHaveProperty('shippedAt');
  });

  it('answers an empty page without orders', async () => {
    await using fresh = await Service.start();
    const answer = await fresh.ask('GET', LIST);
    expect(answer).toMatchObject({ status: 200, text: '{"data":[],"next":null}' });
    expect(answer.headers).not.toHaveProperty('link');
  });

  test.each<[string, Record<string, string>, string[]]>([
    ['everything', {}, ['-7', pending, undated, shipped, cancelled]],
    ['a status', { status: 'pending' }, ['-7', pending, undated]],
    ['another', { status: 'shipped' }, [shipped]],
    ['the third', { status: 'cancelled' }, [cancelled]],
    ['a pet', { petId: '1' }, [pending, shipped]],
    ['a pet at the end of int64', { petId: '9223372036854775807' }, ['-7']],
    ['a pet that nobody has ordered', { petId: '9223372036854775806' }, []],
    ['what is complete', { complete: 'true' }, [shipped]],
    ['what is not', { complete: 'false' }, ['-7', pending, undated, cancelled]],
    ['what contradicts itself', { complete: 'true', status: 'pending' }, []],
    ['ship dates from', { shipDateFrom: '2026-02-02T00:00:00Z' }, [shipped, cancelled]],
    ['ship dates before', { shipDateTo: '2026-02-02T00:00:00Z' }, [pending]],
    [
      'a range of them, with offsets',
      { shipDateFrom: '2026-02-01T01:00:00+01:00', shipDateTo: '2026-02-01T00:00:00.001Z' },
      [pending],
    ],
    [
      'ship dates from a part of a millisecond on',
      { shipDateFrom: '2026-02-01T00:00:00.0001Z', shipDateTo: '2026-02-02T00:00:00Z' },
      [],
    ],
    ['ship dates before one', { shipDateTo: '2026-02-01T00:00:00.0001Z' }, [pending]],
    [
      'a range that ends before it begins',
      { shipDateFrom: '2026-02-03T00:00:00Z', shipDateTo: '2026-02-01T00:00:00Z' },
      [],
    ],
    ['what was placed long ago', { placedTo: '2020-01-01T00:00:00Z' }, []],
    ['what was placed since', { placedFrom: '2020-01-01T00:00:00Z', petId: '3' }, [cancelled]],
  ])('finds %s', async (_what, query, ids) => {
    expect(await idsOf(query)).toStrictEqual(ids);
    expect(await idsOf({ ...query, limit: '1' })).toStrictEqual(ids);
  });

  test.each<[string, Record<string, string>, string[]]>([
    ['from the newest on', { order: 'desc' }, [cancelled, shipped, undated, pending, '-7']],
    [
      'in the order that is the default',
      { order: 'asc' },
      ['-7', pending, undated, shipped, cancelled],
    ],
    ['from an id on', { fromId: undated }, [undated, shipped, cancelled]],
    ['from an id that there is not', { fromId: '-6' }, [pending, undated, shipped, cancelled]],
    ['down to an id', { fromId: undated, order: 'desc' }, [cancelled, shipped, undated]],
    ['below an id', { toId: undated }, ['-7', pending]],
    ['down from an id', { toId: undated, order: 'desc' }, [pending, '-7']],
    ['between ids', { fromId: pending, toId: shipped }, [pending, undated]],
    ['between ids that leave nothing', { fromId: shipped, toId: shipped }, []],
    ['by their ids', { id: `${shipped},-7,4711,${shipped}` }, ['-7', shipped]],
    ['by an id', { id: pending, order: 'desc' }, [pending]],
    ['by ids that are nobody’s', { id: '4711,4712' }, []],
    [
      'by ids, those that pass',
      { id: `${shipped},${pending},-7`, petId: '1', order: 'desc' },
      [shipped, pending],
    ],
  ])('lists them %s', async (_how, query, ids) => {
    expect(await idsOf(query)).toStrictEqual(ids);
    expect(await idsOf({ ...query, limit: '1' })).toStrictEqual(ids);
  });

  it('looks up a hundred ids at once', async () => {
    const ids = Array.from({ length: 100 }, (_, n) => String(1_000_000 + n));
    expect(await idsOf({ id: [...ids.slice(1), shipped].join(',') })).toStrictEqual([shipped]);
    const message = expectError(
      await ask({ id: [...ids, shipped].join(',') }),
      400,
      'invalid_request',
    );
    expect(message).toMatch(/^id: must be up to 100 whole numbers/);
  });

  it('finds what was placed from a moment on, and before it', async () => {
    const { data } = await find({ petId: '3' });
    const placedAt = String(data[0]?.placedAt);
    expect(await idsOf({ placedFrom: placedAt })).toContain(cancelled);
    expect(await idsOf({ placedTo: placedAt })).not.toContain(cancelled);
    const behind = placedAt.replace('Z', '0001Z');
    expect(await idsOf({ placedFrom: behind })).not.toContain(cancelled);
    expect(await idsOf({ placedTo: behind })).toContain(cancelled);
  });

  it('shows each command that was acknowledged before the request', async () => {
    for (let n = 0; n < 10; n++) {
      const id = await placeOrder(service, { petId: 77 });
      expect(await idsOf({ petId: '77' })).toContain(id);
      await service.ask('DELETE', `${LIST}/${id}`);
      expect(await idsOf({ petId: '77', status: 'pending' })).not.toContain(id);
    }
  });
});

describe('A parameter is refused with a 400 that names it:', () => {
  test.each([
    ['limit=0', 'limit: must be a whole number from 1 to 1000'],
    ['limit=1001', 'limit'],
    ['limit=-1', 'limit'],
    ['limit=01', 'limit'],
    ['limit=1e2', 'limit'],
    ['limit=99999999999999999999', 'limit'],
    ['limit=', 'limit'],
    ['limit', 'limit'],
    ['limit=10&limit=10', 'limit: must be given once'],
    ['limit[]=1', '"limit\\[\\]": unknown parameter'],
    ['limit[gt]=1', '"limit\\[gt\\]": unknown parameter'],
    ['LIMIT=1', '"LIMIT": unknown parameter'],
    ['offset=1', '"offset": unknown parameter'],
    ['a=1&b=2', '"a".*"b"'],
    ['__proto__=1', '"__proto__"'],
    ['constructor=1', '"constructor"'],
    ['=1', '"": unknown parameter'],
    ['limit=%zz', '"limit": must be percent-encoded UTF-8'],
    ['status=pending&limit=%ff&%=1', '"limit": .*; "%": must be percent-encoded UTF-8'],
    [`${'&'.repeat(1_000)}status=nonsense`, 'status: '],
    [`limit=1${'&'.repeat(15_000)}limit=2`, 'limit: must be given once'],
    ['status=Pending', 'status: must be one of pending, shipped, cancelled'],
    ['status=pending,shipped', 'status'],
    ['status=pending&status=shipped', 'status: must be given once'],
    ['status=%zz', 'status'],
    ['petId=1.0', 'petId: must be a whole number from -9223372036854775808'],
    ['petId=9223372036854775808', 'petId'],
    ['petId=%2B1', 'petId'],
    ['petId=%D9%A1', 'petId'],
    ['id=', 'id: must be up to 100 whole numbers from -9223372036854775808'],
    ['id=1,', 'id'],
    ['id=1,,2', 'id'],
    ['id=1,%202', 'id'],
    ['id=9223372036854775808', 'id'],
    ['id=1&id=2', 'id: must be given once'],
    ['fromId=01', 'fromId: must be a whole number'],
    ['toId=1.0', 'toId: must be a whole number'],
    ['order=DESC', 'order: must be one of asc, desc'],
    ['complete=1', 'complete: must be true or false'],
    ['complete=TRUE', 'complete'],
    ['shipDateFrom=2026-01-01', 'shipDateFrom: must be an RFC 3339 date-time'],
    ['shipDateTo=2026-01-01T00:00:00+01:00', 'shipDateTo.*send \\+ as %2B'],
    ['placedFrom=2026-02-30T00:00:00Z', 'placedFrom'],
    ['placedTo=', 'placedTo'],
    ['after=', 'after: must be the `next` of a page'],
    ['after=1', 'after'],
    ['after=AAAAAAAAAAAAAAAAAA', 'after'],
    ['limit=0&status=x&petId=y', 'status: .*petId: .*limit: '],
  ])('%s', async (query, named) => {
    const message = expectError(await ask(query), 400, 'invalid_request');
    expect(message).toMatch(new RegExp(named));
  });

  it('however often it is given, with one reason', async () => {
    const description = JSON.parse((await service.ask('GET', '/openapi/v2.json')).text);
    const { parameters } = description.paths['/store/orders'].get;
    const names: string[] = parameters
      .filter((parameter: { in: string }) => parameter.in === 'query')
      .map(({ name }: { name: string }) => name);
    expect(names).toContain('after');
    for (const name of names) {
      const message = expectError(await ask(`${name}=1&${name}=1`), 400, 'invalid_request');
      expect(message).toBe(`${name}: must be given once`);
    }
  });

  it('however long its name is, and the message is not', async () => {
    const message = expectError(await ask(`${'x'.repeat(12_000)}=1`), 400, 'invalid_request');
    expect(message).toBe('"…": unknown parameter');
  });

  test.each([
    ['GET', `${LIST}/${pending}`],
    ['DELETE', `${LIST}/${undated}`],
  ])('an unknown one at %s %s', async (method, path) => {
    const answer = await service.ask(method, `${path}?dryRun=true`);
    expect(expectError(answer, 400, 'invalid_request')).toContain('"dryRun": unknown parameter');
  });
});

/** The position that a list is at, as its ETag says it. */
function positionIn(etag: unknown): string {
  return /-(\d+)"$/.exec(String(etag))?.[1] as string;
}

describe('The list as it was', () => {
  it('is that of each position, whatever happens afterwards, and its ETag says so', async () => {
    await using fresh = await Service.start();
    const list = async (query = '') => fresh.ask('GET', `${LIST}${query}`);
    const moments: { position: string; etag: unknown; page: string }[] = [];
    const remember = async () => {
      const { headers, text } = await list();
      const { data } = JSON.parse(text);
      moments.push({
        position: positionIn(headers.etag),
        etag: headers.etag,
        page: JSON.stringify({ data, next: null }),
      });
    };
    await remember();
    const first = await placeOrder(fresh, { petId: 1, shipDate: '2026-02-01T00:00:00Z' });
    await remember();
    const second = await placeOrder(fresh, { petId: 2 });
    await remember();
    await fresh.send('PUT', `${LIST}/${first}/shipment`, { shipDate: '2026-02-03T00:00:00Z' });
    await remember();
    await fresh.ask('DELETE', `${LIST}/${second}`);
    await remember();
    expect(moments.map(({ position }) => position)).toStrictEqual(['0', '1', '2', '3', '4']);
    for (const { position, etag, page } of moments) {
      const { headers, text } = await list(`?asOf=${position}`);
      expect(text).toBe(page.replace('{', `{"asOf":${position},`));
      expect(headers.etag).toBe(etag);
    }
    const shippedThen = await list('?asOf=2&status=pending&shipDateTo=2026-02-02T00:00:00Z');
    expect(JSON.parse(shippedThen.text).data).toMatchObject([{ id: '1', complete: false }]);
  });

  it('answers 304 for its ETag, although later events were recorded', async () => {
    const { headers } = await ask('asOf=3');
    await placeOrder(service);
    const again = await ask('asOf=3', { 'If-None-Match': String(headers.etag) });
    expect(again.status).toBe(304);
  });

  it('is that of a time, with what was recorded at that time', async () => {
    const { data } = await find({ petId: '3' });
    const { cancelledAt } = data[0] as unknown as { cancelledAt: string };
    const idsAt = (asOf: string) => idsOf({ asOf, petId: '3', status: 'cancelled' });
    expect(await idsAt(cancelledAt)).toStrictEqual([cancelled]);
    const before = new Date(Date.parse(cancelledAt) - 1).toISOString();
    expect(await idsAt(before)).toStrictEqual([]);
    const { asOf } = (await find({ asOf: before })) as Page & { asOf: bigint };
    expect(await idsOf({ asOf: String(asOf) })).toStrictEqual(await idsOf({ asOf: before }));
    expect((await ask('asOf=2020-01-01T00:00:00Z')).text).toBe('{"asOf":0,"data":[],"next":null}');
  });

  it('stays that of its first page, although the time that was asked for is not over', async () => {
    await using fresh = await Service.start();
    for (let n = 0; n < 3; n++) await placeOrder(fresh);
    // The present moment: more may be recorded at it.
    const asOf = new Date().toISOString();
    const page = async (more: Record<string, string> = {}) => {
      const query = new URLSearchParams({ asOf, limit: '2', ...more });
      const answer = await fresh.ask('GET', `${LIST}?${query}`);
      return { link: String(answer.headers.link), ...JSON.parse(answer.text) };
    };
    const first = await page();
    expect(first).toMatchObject({ asOf: 3, data: [{ id: '1' }, { id: '2' }] });
    const second = await page({ after: first.next });
    expect(second).toMatchObject({ asOf: 3, data: [{ id: '3' }], next: null });
    expect(new URLSearchParams(/<(.*)>/.exec(first.link)?.[1]).get('asOf')).toBe(asOf);
  });

  test.each([
    ['asOf=9999', 'asOf: the log ends at position '],
    ['asOf=4294967296', 'asOf: the log ends at position '],
    ['asOf=2251799813685247', 'asOf: the log ends at position '],
    ['asOf=9999-12-31T23:59:59Z', 'asOf: it is in the future'],
    ['asOf=-1', 'asOf: must be a position, such as 4711, or an RFC 3339 date-time'],
    ['asOf=01', 'asOf: must be'],
    ['asOf=1.5', 'asOf: must be'],
    ['asOf=', 'asOf: must be'],
    ['asOf=now', 'asOf: must be'],
    ['asOf=2026-01-01T00:00:00+01:00', 'asOf: must be .*send \\+ as %2B'],
    ['asOf=1&asOf=1', 'asOf: must be given once'],
  ])('is refused with a 400: %s', async (query, named) => {
    const message = expectError(await ask(query), 400, 'invalid_request');
    expect(message).toMatch(new RegExp(named));
  });

  it('has cursors of its own', async () => {
    const now = String((await find({ limit: '1' })).next);
    const then = String((await find({ limit: '1', asOf: '4' })).next);
    for (const query of [`after=${then}`, `asOf=4&after=${now}`, `asOf=5&after=${then}`]) {
      expect(expectError(await ask(query), 400, 'invalid_request')).toMatch(/^after: /);
    }
  });
});

describe('Pages', () => {
  it('have the requested limit, and 100 by default', async () => {
    await using fresh = await Service.start();
    for (let n = 0; n < 11; n++) {
      await Promise.all(Array.from({ length: 10 }, () => placeOrder(fresh)));
    }
    const sizeOf = async (query: string) => {
      const { text } = await fresh.ask('GET', `${LIST}${query}`);
      return (JSON.parse(text) as Page).data.length;
    };
    expect(await sizeOf('')).toBe(100);
    expect(await sizeOf('?limit=7')).toBe(7);
    expect(await sizeOf('?limit=1000')).toBe(110);
  });

  it('link to the next one, in the body and in a Link that keeps the filters', async () => {
    const answer = await ask({ complete: 'false', limit: '2', shipDateTo: '2027-01-01T00:00:00Z' });
    const { next } = JSON.parse(answer.text) as Page;
    expect(next).toBeNull();
    const more = await ask({ complete: 'false', limit: '1', shipDateTo: '2027-01-01T00:00:00Z' });
    const [, target = ''] = /^<([^>]+)>; rel="next"$/.exec(String(more.headers.link)) ?? [];
    const { pathname, search, searchParams } = new URL(target, `http://x${LIST}`);
    expect(pathname).toBe(LIST);
    expect(searchParams.get('after')).toBe((JSON.parse(more.text) as Page).next);
    const second = await service.ask('GET', pathname + search);
    expect((exactJson(second.text) as Page).data.map(({ id }) => id)).toStrictEqual([cancelled]);
  });

  it('may be of another size each', async () => {
    const { next } = await find({ limit: '2' });
    const { data } = await find({ limit: '1', after: String(next) });
    expect(data.map(({ id }) => id)).toStrictEqual([undated]);
  });

  it('take the cursor of the order that is the default, named or not, and of no other', async () => {
    const { next } = await find({ limit: '1' });
    const [after, order] = [String(next), 'desc'];
    expect((await find({ after, order: 'asc' })).data).toStrictEqual((await find({ after })).data);
    for (const query of [{ order }, { fromId: '1' }, { toId: '9' }, { id: '1' }]) {
      expectError(await ask({ ...query, after }), 400, 'invalid_request');
    }
  });

  it('refuse the cursor of other filters, in any spelling', async () => {
    const { next } = await find({ limit: '1', petId: '1' });
    for (const query of [{}, { petId: '2' }, { petId: '1', status: 'pending' }]) {
      expectError(await ask({ ...query, after: String(next) }), 400, 'invalid_request');
    }
    const dated = { shipDateFrom: '2026-02-01T00:00:00Z', limit: '1' };
    const { next: same } = await find(dated);
    const answer = await ask({
      shipDateFrom: '2026-02-01T01:00:00.000+01:00',
      after: String(same),
    });
    expect(answer.status).toBe(200);
  });

  it('do not take a cursor with any of its characters changed or left out', async () => {
    const next = String((await find({ limit: '1' })).next);
    for (const index of Array.from(next).keys()) {
      const other = next[index] === 'A' ? 'B' : 'A';
      const changed = next.slice(0, index) + other + next.slice(index + 1);
      expectError(await ask({ after: changed }), 400, 'invalid_request');
      expectError(await ask({ after: next.slice(0, index) }), 400, 'invalid_request');
    }
    expectError(await ask({ after: `${next}A` }), 400, 'invalid_request');
  });

  it('continue after a restart, and while orders are placed, shipped and cancelled', async () => {
    await using fresh = await Service.start();
    const before: string[] = [];
    for (let n = 0; n < 30; n++) before.push(await placeOrder(fresh));
    const seen: string[] = [];
    for (let after = ''; ; ) {
      const { text } = await fresh.ask('GET', `${LIST}?limit=4${after && `&after=${after}`}`);
      const { data, next } = JSON.parse(text) as Page;
      seen.push(...data.map(({ id }) => id));
      if (next === null) break;
      after = next;
      await fresh.ask('DELETE', `${LIST}/${before[seen.length - 1]}`);
      if (seen.length < 20) await placeOrder(fresh);
      if (seen.length === 12) await fresh.restart('SIGKILL');
    }
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen.slice(0, 30)).toStrictEqual(before);
    expect(seen.length).toBeGreaterThan(30);
  });
});

describe('A page that has not changed', () => {
  it('answers 304 for its ETag until the next event', async () => {
    const etag = String((await ask('limit=2')).headers.etag);
    const again = await ask('limit=2', { 'If-None-Match': etag });
    expect(again).toMatchObject({ status: 304, text: '', headers: { etag } });
    await placeOrder(service);
    expect((await ask('limit=2', { 'If-None-Match': etag })).status).toBe(200);
  });

  it('is refused even so if the query is malformed', async () => {
    expectError(await ask('limit=0', { 'If-None-Match': '*' }), 400, 'invalid_request');
  });

  it('is compressed for those who accept gzip, with an ETag of its own', async () => {
    const [plain, packed] = [
      await ask('limit=2'),
      await ask('limit=2', { 'Accept-Encoding': 'gzip' }),
    ];
    expect(packed.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(packed.body).toString()).toBe(plain.text);
    expect(packed.headers.etag).not.toBe(plain.headers.etag);
    for (const { headers } of [plain, packed]) {
      expect(headers).toMatchObject({
        vary: 'Accept, Accept-Encoding',
        'cache-control': 'private, no-cache',
      });
    }
    const { etag = '' } = packed.headers;
    const again = await ask('limit=2', { 'Accept-Encoding': 'gzip', 'If-None-Match': etag });
    expect(again.status).toBe(304);
  });

  it('has the same headers for HEAD', async () => {
    const get = await ask('limit=2');
    const head = await service.ask('HEAD', `${LIST}?limit=2`);
    expect(head.body).toHaveLength(0);
    for (const name of ['etag', 'content-length', 'content-type', 'link', 'vary']) {
      expect(head.headers[name]).toBe(get.headers[name]);
    }
  });
});

test.each(['', 'x', '%00'])(
  'A cursor that is none is refused in one sentence: %j',
  async (after) => {
    const { status, text } = await service.ask('GET', `/v2/store/orders?after=${after}`);
    expect(status).toBe(400);
    expect(text.split('after: must be')).toHaveLength(2);
  },
);
