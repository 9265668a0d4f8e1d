import { describe, expect, it, test } from 'vitest';
import { mintKeyText } from '../../../src/app/keys/api-key.ts';
import { type Answer, exactJson, expectError } from '../../support/http.ts';
import { oneService, placeOrder } from '../../support/one-service.ts';
import { bearer } from '../../support/service.ts';

const { service, beside } = await oneService();
const VERSIONS = ['/v1/store/orders', '/v2/store/orders'];
const [V1, V2] = VERSIONS as [string, string];
const ORDER = { petId: 7, quantity: 2, shipDate: '2026-05-01T00:00:00Z' };
const SHIPMENT = { shipDate: '2026-01-02T00:00:00Z' };

let keys = 0;
const newKey = () => {
  keys += 1;
  return `retry-${keys}`;
};

function place(key: string, { list = V1, order = ORDER, as = service.key } = {}) {
  const headers = { 'Idempotency-Key': key, Authorization: `Bearer ${as}` };
  // Version 2 has ids as strings.
  const body = list === V1 ? order : { ...order, petId: String(order.petId) };
  return service.send('POST', list, body, { headers });
}

/** Everything of an answer that its sender means, which is all but the id of the request. */
function meaning({ status, headers, text }: Answer) {
  const { location, etag, 'content-type': type, 'event-position': position } = headers;
  return { status, location, etag, type, position, text };
}

async function ordersNow(): Promise<number> {
  return JSON.parse((await service.ask('GET', V1)).text).length;
}

describe.each(VERSIONS)('A request under an Idempotency-Key, at %s,', (list) => {
  it('places one order, however often it is sent, and always gets the same answer', async () => {
    const before = await ordersNow();
    const key = newKey();
    const first = meaning(await place(key, { list }));
    expect(first.status).toBe(201);
    expect(meaning(await place(key, { list }))).toStrictEqual(first);
    await service.ask('DELETE', String(first.location));
    expect(meaning(await place(key, { list }))).toStrictEqual(first);
    expect(await ordersNow()).toBe(before + 1);
  });

  it('waits for its first sending, if that is still under way', async () => {
    const before = await ordersNow();
    const key = newKey();
    const answers = await Promise.all(Array.from({ length: 20 }, () => place(key, { list })));
    expect(new Set(answers.map((answer) => JSON.stringify(meaning(answer)))).size).toBe(1);
    expect(await ordersNow()).toBe(before + 1);
  });

  it('ships and cancels once', async () => {
    const [shipped, cancelled] = [await placeOrder(service), await placeOrder(service)];
    const headers = { 'Idempotency-Key': newKey() };
    const ship = () => service.send('PUT', `${list}/${shipped}/shipment`, SHIPMENT, { headers });
    const first = meaning(await ship());
    expect(first.status).toBe(200);
    expect(meaning(await ship())).toStrictEqual(first);
    const cancel = () => {
      return service.ask('DELETE', `${list}/${cancelled}`, {
        headers: { 'Idempotency-Key': `cancel${list}` },
      });
    };
    expect([(await cancel()).status, (await cancel()).status]).toStrictEqual([204, 204]);
  });

  it('is refused the same way again, even when it would no longer be', async () => {
    const id = String(9_000_000_000_000_000_000n + 1_000n * BigInt(VERSIONS.indexOf(list)));
    const headers = { 'Idempotency-Key': newKey() };
    const cancel = () => service.ask('DELETE', `${list}/${id}`, { headers });
    expectError(await cancel(), 404, 'order_not_found');
    await beside.place([{ id: BigInt(id) }]);
    expectError(await cancel(), 404, 'order_not_found');
    expect((await service.ask('DELETE', `${list}/${id}`)).status).toBe(204);
  });

  it.each([
    ['another order', (key: string) => place(key, { list, order: { ...ORDER, quantity: 3 } })],
    [
      'another operation',
      (key: string) => service.ask('DELETE', `${list}/1`, { headers: { 'Idempotency-Key': key } }),
    ],
  ])('is refused if the key was used for %s', async (_, other) => {
    const key = newKey();
    await place(key, { list });
    const before = await ordersNow();
    expectError(await other(key), 422, 'idempotency_key_reused');
    expect(await ordersNow()).toBe(before);
  });

  it.each([
    ['blank', 'a b'],
    ['empty', ''],
    ['256 characters', 'x'.repeat(256)],
    ['é', 'é'],
  ])('is refused, and changes nothing, if its key is or has %s', async (_, key) => {
    const before = await ordersNow();
    const message = expectError(await place(key, { list }), 400, 'invalid_request');
    expect(message).toMatch(/^Idempotency-Key: /);
    expect(await ordersNow()).toBe(before);
  });

  it('may have a key that only begins like an API key', async () => {
    expect((await place(`presto_${newKey()}`, { list })).status).toBe(201);
  });

  it('is refused, and changes nothing, if an API key is in its key', async () => {
    const before = await ordersNow();
    const message = expectError(await place(mintKeyText(), { list }), 400, 'invalid_request');
    expect(message).toBe('Idempotency-Key: must not have an API key in it');
    expect(await ordersNow()).toBe(before);
  });

  it('may have a key of 255 characters, in quotes or not', async () => {
    expect((await place('x'.repeat(254) + VERSIONS.indexOf(list), { list })).status).toBe(201);
    expect((await place(`"${newKey()}"`, { list })).status).toBe(201);
  });
});

test('A retry at another version is the same request', async () => {
  const key = newKey();
  const first = exactJson((await place(key, { list: V1 })).text) as Record<string, unknown>;
  const again = exactJson((await place(key, { list: V2 })).text);
  expect(again).toMatchObject({ ...first, id: `${first.id}`, petId: '7', status: 'pending' });
});

test('Keys are kept apart by API key', async () => {
  const other = await beside.addKey(['orders:write']);
  const key = newKey();
  const ids = [await place(key), await place(key, { as: other })].map(({ text }) => text);
  expect(ids[0]).not.toBe(ids[1]);
});

test('Without a key, twice is twice', async () => {
  const before = await ordersNow();
  await service.send('POST', V1, ORDER);
  await service.send('POST', V1, ORDER);
  expect(await ordersNow()).toBe(before + 2);
});

describe.each(VERSIONS)('If-Match, at %s,', (list) => {
  const etagOf = async (id: string) => {
    return String((await service.ask('GET', `${list}/${id}`)).headers.etag);
  };
  const cancel = (id: string, tags: string) => {
    return service.ask('DELETE', `${list}/${id}`, { headers: { 'If-Match': tags } });
  };
  const ship = (id: string, tags: string) => {
    return service.send('PUT', `${list}/${id}/shipment`, SHIPMENT, {
      headers: { 'If-Match': tags },
    });
  };

  it('lets a request through that names the present version, alone or among others', async () => {
    const [one, two, three, four] = [
      await placeOrder(service),
      await placeOrder(service),
      await placeOrder(service),
      await placeOrder(service),
    ];
    expect((await cancel(one, await etagOf(one))).status).toBe(204);
    expect((await ship(two, `"other" , ${await etagOf(two)}`)).status).toBe(200);
    expect((await cancel(three, '*')).status).toBe(204);
    // Empty elements of a list are ignored: RFC 9110, section 5.6.1.2.
    expect((await cancel(four, `,,"other" ,, ${await etagOf(four)}, ,`)).status).toBe(204);
  });

  it('stops a request that names none that is there, and nothing is changed', async () => {
    const id = await placeOrder(service);
    const etag = await etagOf(id);
    const others = [
      '"other"',
      `W/${etag}`,
      etag.replace('-1"', '-2"'),
      etag.replace('-1"', '-01"'),
      '"other",',
      ',, "other"',
    ];
    for (const tags of others) {
      expectError(await cancel(id, tags), 412, 'precondition_failed');
      expectError(await ship(id, tags), 412, 'precondition_failed');
    }
    expect(await etagOf(id)).toBe(etag);
  });

  it('stops a shipment that was reported before, but no cancellation that is done', async () => {
    const [shipped, cancelled] = [await placeOrder(service), await placeOrder(service)];
    const before = await etagOf(shipped);
    await ship(shipped, '*');
    expectError(await ship(shipped, before), 412, 'precondition_failed');
    await cancel(cancelled, '*');
    expect((await cancel(cancelled, before)).status).toBe(204);
  });

  it('does not hide that a request would be refused anyway', async () => {
    expectError(await cancel('123456789', '"other"'), 404, 'order_not_found');
    const id = await placeOrder(service);
    await ship(id, '*');
    expectError(await cancel(id, '"other"'), 409, 'order_already_shipped');
  });

  it.each(['other', '"a" "b"', '', ',', '*,', 'w/"a"'])('is a 400 where it is %j', async (tags) => {
    const answer = await cancel(await placeOrder(service), tags);
    expect(expectError(answer, 400, 'invalid_request')).toMatch(/^If-Match: /);
  });
});

const pending = await placeOrder(service);

describe('A change under a condition, or of a part, that its operation does not read', () => {
  const CONDITIONS = [
    ['If-None-Match', '*'],
    ['If-None-Match', '"other"'],
    ['Content-Range', 'bytes 0-3/10'],
  ] as const;
  const at = (list: string) => `${list}/${pending}`;
  const V2_ORDER = { ...ORDER, petId: String(ORDER.petId) };
  const OF_ORDERS = [
    ['DELETE', at(V1), undefined],
    ['DELETE', at(V2), undefined],
    ['PUT', `${at(V1)}/shipment`, SHIPMENT],
    ['PUT', `${at(V2)}/shipment`, SHIPMENT],
    ['PUT', `${at(V2)}/cancellation`, { reason: 'duplicate' }],
  ] as const;
  const OF_LISTS = [
    ['POST', V1, ORDER],
    ['POST', V2, V2_ORDER],
    ['POST', `${V2}:batchPlace`, { orders: [V2_ORDER] }],
    ['POST', `${V2}:batchCancel`, { orderIds: [pending] }],
  ] as const;

  it.each([
    ...CONDITIONS.flatMap((header) => [...OF_ORDERS, ...OF_LISTS].map((sent) => [header, sent])),
    ...OF_LISTS.map((sent) => [['If-Match', '*'], sent]),
  ] as [readonly [string, string], (typeof OF_LISTS | typeof OF_ORDERS)[number]][])(
    'is a 400, and changes nothing: %j, %j',
    async ([name, value], [method, path, body]) => {
      const before = meaning(await service.ask('GET', V2));
      const headers = { [name]: value };
      const answer =
        body === undefined
          ? await service.ask(method, path, { headers })
          : await service.send(method, path, body, { headers });
      expect(expectError(answer, 400, 'invalid_request')).toBe(
        `${name}: must be absent, because this operation does not read it`,
      );
      expect(meaning(await service.ask('GET', V2))).toStrictEqual(before);
    },
  );

  it('is refused for want of the scope first', async () => {
    const headers = { ...bearer(await beside.addKey(['orders:read'])), 'If-None-Match': '*' };
    expectError(await service.ask('DELETE', at(V1), { headers }), 403, 'insufficient_scope');
  });

  it('is none for a read, which changes nothing', async () => {
    const headers = { 'If-Match': '"other"', 'Content-Range': 'bytes 0-3/10' };
    expect((await service.ask('GET', at(V1), { headers })).status).toBe(200);
  });
});
