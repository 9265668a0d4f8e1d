import { describe, expect, it, test } from 'vitest';
import { storedFieldsOf } from '../../../src/app/audit/proofs/cloud-event.ts';
import { RecordTree } from '../../../src/app/audit/proofs/verifier.ts';
import { leafHash } from '../../../src/app/log/merkle-tree.ts';
import { MAX_POSITION } from '../../../src/app/log/positions.ts';
import { EVENT_TYPES, recordOf } from '../../../src/app/log/recorded-event.ts';
import { TRACEPARENT } from '../../support/events.ts';
import { type Answer, expectError } from '../../support/http.ts';
import { oneService, placeOrder } from '../../support/one-service.ts';
import { bearer } from '../../support/service.ts';

const { service, beside } = await oneService();
const BATCH = 'application/cloudevents-batch+json; charset=utf-8';

const LOG = '/v1/store/events';
const ofOrder = (id: string | bigint) => `/v1/store/orders/${id}/events`;

function eventsIn(answer: Answer): Record<string, unknown>[] {
  expect(answer).toMatchObject({ status: 200, headers: { 'content-type': BATCH } });
  return JSON.parse(answer.text);
}

/** The CloudEvents of an array, each as the text that was sent. */
function textsIn({ text }: Answer): string[] {
  return text.slice(1, -1).split(/(?<=\}\}),(?=\{"specversion")/);
}

describe('The events of an order', () => {
  it('have their type, time, author and command', async () => {
    const placed = await service.send('POST', '/v1/store/orders', { petId: 7, quantity: 2 });
    const id = String(JSON.parse(placed.text).id);
    const cancelled = await service.ask('DELETE', `/v1/store/orders/${id}`);
    const at = (answer: Answer) => Number(answer.headers['event-position']);
    const keyId = service.key.split('_')[1];
    const shared = {
      specversion: '1.0',
      source: expect.stringMatching(/^\/store-orders\/[0-9a-f]+$/),
      subject: id,
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      datacontenttype: 'application/json',
      by: keyId,
      keyname: 'initial',
    };
    expect(eventsIn(await service.ask('GET', ofOrder(id)))).toStrictEqual([
      {
        ...shared,
        id: String(at(placed)),
        type: 'OrderPlaced',
        position: at(placed),
        version: 1,
        schemaversion: 2,
        commandid: placed.headers['x-request-id'],
        data: { orderId: id, petId: '7', quantity: 2 },
      },
      {
        ...shared,
        id: String(at(cancelled)),
        type: 'OrderCancelled',
        position: at(cancelled),
        version: 2,
        schemaversion: 1,
        commandid: cancelled.headers['x-request-id'],
        data: { orderId: id },
      },
    ]);
  });

  it('have the trace of their request, which no record contains', async () => {
    const headers = { traceparent: TRACEPARENT };
    const later = { traceparent: `${TRACEPARENT.replace(/^00/, '01')}-more` };
    const placed = await service.send(
      'POST',
      '/v1/store/orders',
      { petId: 7, quantity: 2 },
      { headers },
    );
    const id = String(JSON.parse(placed.text).id);
    const order = `/v1/store/orders/${id}`;
    await service.ask('DELETE', order, { headers: later });
    // What is cancelled already has no second event, and that of the first keeps its trace.
    await service.ask('DELETE', order, { headers });
    const answer = await service.ask('GET', ofOrder(id));
    expect(eventsIn(answer).map(({ traceparent }) => traceparent)).toEqual([
      TRACEPARENT,
      TRACEPARENT.replace(/^00/, '01'),
    ]);
    for (const text of textsIn(answer))
      expect(recordOf(storedFieldsOf(text))).not.toContain('4bf92f');
    const untraced = await placeOrder(service);
    await service.ask('DELETE', `/v1/store/orders/${untraced}`, { headers: { traceparent: 'x' } });
    const others = eventsIn(await service.ask('GET', ofOrder(untraced)));
    expect(others).toHaveLength(2);
    for (const event of others) expect(event).not.toHaveProperty('traceparent');
  });

  it('are exact for ids of 64 bits, also negative ones', async () => {
    for (const id of [2n ** 63n - 1n, -(2n ** 63n), 0n]) {
      await beside.place([{ id, petId: id }]);
      const [event] = eventsIn(await service.ask('GET', ofOrder(id)));
      expect(event).toMatchObject({ subject: String(id), by: 'import' });
      expect(event).not.toHaveProperty('keyname');
    }
  });

  it('are not sent again to whoever has them', async () => {
    const id = await placeOrder(service);
    const etag = String((await service.ask('GET', ofOrder(id))).headers.etag);
    const again = () => service.ask('GET', ofOrder(id), { headers: { 'If-None-Match': etag } });
    expect(await again()).toMatchObject({ status: 304, text: '' });
    await service.ask('DELETE', `/v1/store/orders/${id}`);
    expect(eventsIn(await again())).toHaveLength(2);
  });

  it('are not those of an order that is not there', async () => {
    expectError(await service.ask('GET', ofOrder('4711')), 404, 'order_not_found');
  });

  test.each(['042', '1e3', '9223372036854775808', 'x'])('of %s are a 400', async (id) => {
    expectError(await service.ask('GET', ofOrder(id)), 400, 'invalid_request');
  });
});

describe('The events of all orders', () => {
  it('come in pages that follow one another without a gap', async () => {
    for (let n = 0; n < 12; n++) await placeOrder(service);
    const head = await beside.head();
    const positions: unknown[] = [];
    let next: string | undefined = '?limit=5';
    while (next !== undefined) {
      const answer: Answer = await service.ask('GET', `${LOG}${next}`);
      const events = eventsIn(answer);
      expect(events.length).toBeLessThanOrEqual(5);
      positions.push(...events.map(({ position }) => position));
      next = /^<([^>]+)>; rel="next"$/.exec(String(answer.headers.link))?.[1];
    }
    expect(positions).toStrictEqual(Array.from({ length: head }, (_, n) => n + 1));
  });

  it('begin after a position, and end at the head', async () => {
    await placeOrder(service);
    const head = await beside.head();
    const last = await service.ask('GET', `${LOG}?after=${head - 1}`);
    expect(eventsIn(last)).toMatchObject([{ position: head, id: String(head) }]);
    const answer = await service.ask('GET', `${LOG}?after=${head}`);
    expect(answer.text).toBe('[]');
    expect(answer.headers).not.toHaveProperty('link');
    for (const after of [head + 1, MAX_POSITION]) {
      const { status, text } = await service.ask('GET', `${LOG}?after=${after}`);
      expect(status).toBe(400);
      expect(JSON.parse(text)).toMatchObject({
        code: 'invalid_request',
        message: `after: the log ends at position ${head}`,
      });
    }
  });

  it('of one type are all those of the log, and no others', async () => {
    const id = await placeOrder(service);
    await service.ask('DELETE', `/v1/store/orders/${id}`);
    await placeOrder(service);
    const all = eventsIn(await service.ask('GET', `${LOG}?limit=1000`));
    for (const type of EVENT_TYPES) {
      const some = eventsIn(await service.ask('GET', `${LOG}?limit=1000&type=${type}`));
      expect(some).toStrictEqual(all.filter((event) => event.type === type));
    }
    expect(all.some(({ type }) => type === 'OrderCancelled')).toBe(true);
  });

  it('of one request are found by the id that it was answered with', async () => {
    const orders = [1, 2].map(() => ({ petId: '7', quantity: 1 }));
    const placed = await service.send('POST', '/v2/store/orders:batchPlace', { orders });
    const ids = JSON.parse(placed.text).results.map((each: { orderId: string }) => each.orderId);
    const cancelled = await service.ask('DELETE', `/v1/store/orders/${ids[0]}`);
    const found = async (answer: { headers: object }, more = '') => {
      const requestId = Object(answer.headers)['x-request-id'];
      return eventsIn(await service.ask('GET', `${LOG}?commandId=${requestId}${more}`));
    };
    expect((await found(placed)).map(({ subject }) => subject)).toEqual(ids);
    expect(await found(cancelled)).toMatchObject([{ subject: ids[0], type: 'OrderCancelled' }]);
    expect(await found(cancelled, '&type=OrderPlaced')).toEqual([]);
  });

  it('lead to the root of the tree, recomputed from the response alone', async () => {
    const tree = new RecordTree();
    const texts = textsIn(await service.ask('GET', `${LOG}?limit=1000`));
    for (const text of texts) tree.add(recordOf(storedFieldsOf(text)));
    const { size, root } = await beside.treeHead();
    expect(tree.head().size).toBe(size);
    expect(Buffer.from(tree.head().root).equals(root)).toBe(true);
    expect(leafHash(recordOf(storedFieldsOf(texts[0] as string)))).toHaveLength(32);
  });

  it('are compressed for those who take that', async () => {
    const headers = { 'Accept-Encoding': 'gzip' };
    const answer = await service.ask('GET', LOG, { headers });
    expect(answer.headers).toMatchObject({
      'content-encoding': 'gzip',
      vary: 'Accept, Accept-Encoding',
      'cache-control': 'private, no-cache',
    });
  });

  test.each(['*/*', 'application/json', 'text/html', 'text/event-stream;q=0.1, */*', ''])(
    'are a page to Accept: %s',
    async (accept) => {
      eventsIn(await service.ask('GET', LOG, { headers: { Accept: accept } }));
    },
  );

  test.each([
    ['after=-1', 'after: must be a whole number from 0 to 2251799813685247'],
    ['after=2251799813685248', 'after: must be a whole number from 0 to 2251799813685247'],
    ['after=01', 'after: must be a whole number from 0 to 2251799813685247'],
    ['after=', 'after: must be a whole number from 0 to 2251799813685247'],
    ['after=1&after=2', 'after: must be given once'],
    ['limit=0', 'limit: must be a whole number from 1 to 1000'],
    ['limit=1001', 'limit: must be a whole number from 1 to 1000'],
    ['type=orderplaced', 'type: must be one of OrderPlaced, OrderShipped, OrderCancelled'],
    ['type=', 'type: must be one of OrderPlaced, OrderShipped, OrderCancelled'],
    ['commandId=', 'commandId: must have 1 to 100 characters of ASCII and no blanks'],
    ['before=1', '"before": unknown parameter'],
  ])('are refused with %s', async (query, message) => {
    const answer = await service.ask('GET', `${LOG}?${query}`);
    expect(expectError(answer, 400, 'invalid_request')).toBe(message);
  });

  test.each(['x', '-1', '', '2251799813685248'])(
    'are refused with Last-Event-ID: %s',
    async (id) => {
      const answer = await service.ask('GET', LOG, { headers: { 'Last-Event-ID': id } });
      expect(expectError(answer, 400, 'invalid_request')).toMatch(/^Last-Event-ID: must be /);
    },
  );
});

describe('Who may not read the trail', () => {
  test.each([LOG, ofOrder(1n), ofOrder('x'), `${LOG}?limit=x`])(
    'is told so before anything else: %s',
    async (path) => {
      const other = await beside.addKey(['orders:read', 'orders:write', 'orders:cancel']);
      const refused = await service.ask('GET', path, { headers: bearer(other) });
      expect(expectError(refused, 403, 'insufficient_scope')).toContain('audit:read');
      const none = await service.ask('GET', path, { headers: { Authorization: '' } });
      expectError(none, 401, 'unauthorized');
    },
  );
});
