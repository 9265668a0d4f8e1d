import { beforeAll, describe, expect, it } from 'vitest';
import { type Answer, expectError } from '../../support/http.ts';
import { placeOrder } from '../../support/one-service.ts';
import { RawClient } from '../../support/raw-client.ts';
import { backUp, restore } from '../../support/restored-backup.ts';
import { bearer, Service } from '../../support/service.ts';

/** The last position that the backup has; two events follow it, are lost, and are replaced. */
const [KEPT, END] = [2, 4];
const ORDERS = '/v2/store/orders';
const KEY_OF_LOST = { 'Idempotency-Key': 'order-of-a-lost-event' };

/** What depends on the whole log; each has the tag of a position that is given twice. */
const TAGGED = [
  '/v1/store/orders',
  ORDERS,
  `${ORDERS}?status=pending`,
  '/v2/store/summary',
  '/v1/store/checkpoint',
  '/v1/pets/3',
];

const service = await Service.start();
const get = (path: string, headers: Record<string, string> = {}) =>
  service.ask('GET', path, { headers });
const placeLost = () =>
  service.send('POST', ORDERS, { petId: '3', quantity: 1 }, { headers: KEY_OF_LOST });
const tags = new Map<string, string>();
let kept: Answer;
let cursor: string;
let epoch: string;
let fullEpoch: string;

beforeAll(async () => {
  const id = await placeOrder(service);
  await placeOrder(service);
  await backUp(service);
  await placeOrder(service);
  expect((await placeLost()).headers.location).toBe(`${ORDERS}/4`);
  kept = await get(`${ORDERS}/${id}`);
  for (const path of TAGGED) tags.set(path, (await get(path)).headers.etag as string);
  cursor = JSON.parse((await get(`${ORDERS}?limit=1`)).text).next;
  await restore(service);
  await placeOrder(service);
});

describe('A log that was cut, with other events at the positions that were lost', () => {
  it('takes a command again whose event was lost, and gives no id again', async () => {
    const again = await placeLost();
    expect([again.status, again.headers.location]).toStrictEqual([201, `${ORDERS}/6`]);
    expectError(await get(`${ORDERS}/4`), 404, 'order_not_found');
    const { data } = JSON.parse((await get(ORDERS)).text) as { data: { id: string }[] };
    expect(data.map(({ id }) => id)).toStrictEqual(['1', '2', '5', '6']);
  });

  it('names its epoch', async () => {
    const { text } = await get('/v1/store/epochs');
    expect(JSON.parse(text)).toStrictEqual({
      epoch: expect.stringMatching(/^1\.[0-9a-f]{32}$/),
      breaks: [expect.stringContaining(`"position":${KEPT},"positionsUpTo":${END},`)],
    });
    fullEpoch = JSON.parse(text).epoch;
    // The short form.
    epoch = fullEpoch.slice(0, '1.'.length + 8);
  });

  it.each(TAGGED)('%s is not what it was at the same position', async (path) => {
    const before = tags.get(path) as string;
    expect(before).toMatch(/^"[0-9a-z-]+"$/);
    const answer = await get(path, { 'If-None-Match': before });
    expect([answer.status, answer.headers.etag]).toStrictEqual([200, expect.any(String)]);
    expect(answer.headers.etag).not.toBe(before);
    expect(answer.headers.etag).toContain(`.${epoch}`);
  });

  it('refuses the cancellation of an order as it was before the cut (412)', async () => {
    const { etag: tag } = kept.headers as { etag: string };
    const cancel = (ifMatch: string) =>
      service.ask('DELETE', `${ORDERS}/1`, { headers: { 'If-Match': ifMatch } });
    expectError(await cancel(tag), 412, 'precondition_failed');
    const now = await get(`${ORDERS}/1`, { 'If-None-Match': tag });
    expect([now.status, now.text]).toStrictEqual([200, kept.text]);
    expect((await cancel(now.headers.etag as string)).status).toBe(204);
  });

  it('refuses a cursor from before the cut', async () => {
    const refused = await get(`${ORDERS}?limit=1&after=${cursor}`);
    expectError(refused, 400, 'invalid_request');
    expect(refused.text).toContain('the log as it has been since it was last cut');
    const { next } = JSON.parse((await get(`${ORDERS}?limit=1`)).text);
    expect(next).not.toBe(cursor);
    const page = JSON.parse((await get(`${ORDERS}?limit=1&after=${next}`)).text);
    expect(page.data).toMatchObject([{ id: '2' }]);
  });

  it.each([
    ['a list as of it', (at: string) => `${ORDERS}?asOf=${at}`],
    ['a summary as of it', (at: string) => `/v2/store/summary?asOf=${at}`],
    ['the events after it', (at: string) => `/v1/store/events?after=${at}`],
    ['its receipt', (at: string) => `/v2/store/events/${at}/receipt`],
  ])('asks which of the two is meant by a position: %s', async (_, path) => {
    const ambiguous = await get(path(`${END}`));
    expectError(ambiguous, 400, 'invalid_request');
    expect(ambiguous.text).toContain(`position ${END} was given twice`);
    expect(ambiguous.text).toContain(`That of now is ${epoch}:${END}.`);
    const lost = await get(path(`0:${END}`));
    expectError(lost, 400, 'invalid_request');
    expect(lost.text).toContain(`position ${END} of epoch 0 is lost`);
    const answer = await get(path(`${epoch}:${END}`));
    expect(answer.status).toBe(200);
    // The epoch as the statements, checkpoints and the answer of /epochs have it.
    const same = await get(path(`${fullEpoch}:${END}`));
    expect([same.status, same.text]).toStrictEqual([200, answer.text]);
    const another = `${epoch}${'0'.repeat(24)}`;
    const unknown = await get(path(`${another}:${END}`));
    expectError(unknown, 400, 'invalid_request');
    expect(unknown.text).toContain(`the log has never been in epoch ${another}`);
    // Positions before the cut were given once.
    for (const at of [`${KEPT}`, `0:${KEPT}`, `${epoch}:${KEPT}`])
      expect((await get(path(at))).status, at).toBe(200);
  });

  it('names the epoch in its events, and a stream resumes by it', async () => {
    const events = JSON.parse((await get('/v1/store/events?limit=4')).text) as {
      id: string;
      source: string;
    }[];
    const sources = events.map(({ source }) => source.endsWith(`.${epoch}`));
    expect(sources).toStrictEqual([false, false, true, true]);
    const stream = (last: string) => {
      const { Authorization } = bearer(service.key);
      return `GET /v1/store/events HTTP/1.1\r\nHost: x\r\nAuthorization: ${Authorization}\r\nAccept: text/event-stream\r\nLast-Event-ID: ${last}\r\n\r\n`;
    };
    using client = new RawClient(service.address);
    client.send(stream(`${epoch}:3`));
    await client.until('data:');
    expect(client.received).toContain(`id: ${epoch}:${END}\n`);
    using before = new RawClient(service.address);
    before.send(stream('3'));
    await before.until('given twice');
    expect(before.received).toMatch(/^HTTP\/1\.1 400 /);
  });
});
