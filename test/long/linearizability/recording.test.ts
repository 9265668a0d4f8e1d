import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, test } from 'vitest';
import type { History } from '../../kit/history/history.ts';
import { decodeHistory, encodeHistory } from '../../kit/history/history-file.ts';
import { HttpCaller } from '../../kit/history/http-caller.ts';
import { Recorder } from '../../kit/history/recorder.ts';
import { runWorkload } from '../../kit/history/workload.ts';
import { check } from '../../kit/linearizability/check.ts';
import { describeViolation as tell } from '../../kit/linearizability/timeline.ts';
import { asTheyAre, type Ground, type Parts } from './app-parts.ts';
import { BROKEN } from './broken-parts.ts';
import { PartsServer } from './serve-parts.ts';

const CLIENTS = 12;

async function record(
  build: (ground: Ground) => Parts | Promise<Parts>,
  seed: number,
): Promise<History> {
  await using server = await PartsServer.start(build);
  const caller = new HttpCaller(() => server.baseUrl, 'a-key');
  const recorder = new Recorder();
  await runWorkload({ seed, clients: CLIENTS, operations: 600, cuts: 5 }, caller, recorder);
  caller.close();
  return recorder.history;
}

test('What the real parts answer over connections is linearizable', async () => {
  const history = await record(asTheyAre, 1);
  expect(check(history).map(tell).join('\n\n')).toBe('');
  expect(history.some(({ answer }) => answer.kind === 'unknown')).toBe(true);
});

describe.each(Object.entries(BROKEN))('A server that %s', (_, build) => {
  it('is found out from the other end of its connections', async () => {
    for (let seed = 1; seed <= 10; seed++) {
      const history = await record(build, seed);
      if (check(history).length === 0) continue;
      // The recorded answer is just as wrong.
      expect(check(decodeHistory(encodeHistory(history)))).toStrictEqual(check(history));
      return;
    }
    expect.fail('nothing was found');
  });
});

describe('An answer', () => {
  /** Returns the recorded outcome of a cancel that a server answers like this. */
  async function taken(status: number, body: string, kind: 'cancel' | 'get' | 'list' = 'cancel') {
    const server = createServer((_req, res) => res.writeHead(status).end(body));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const caller = new HttpCaller(() => `http://127.0.0.1:${port}/v1`, 'a-key');
    const answer = await caller.call(kind === 'list' ? { kind } : { kind, id: 7n });
    caller.close();
    server.closeAllConnections();
    server.close();
    return answer;
  }

  it.each([
    [204, '', { kind: 'accepted', id: 7n }],
    [404, '{}', { kind: 'refused', reason: 'order_not_found' }],
    [409, 'whatever', { kind: 'refused', reason: 'order_already_shipped' }],
    [503, '{"code":"service_unavailable"}', { kind: 'untouched' }],
    [503, '{"code":"outcome_unknown"}', { kind: 'unknown' }],
    [502, 'no JSON', { kind: 'unknown' }],
    [500, 'no JSON', { kind: 'unexpected', words: '500 no JSON' }],
    [200, '{}', { kind: 'unexpected', words: '200 {}' }],
    [401, '', { kind: 'unexpected', words: '401 ' }],
  ])('%i %s to a cancel is taken for what it is', async (status, body, answer) => {
    expect(await taken(status, body)).toStrictEqual(answer);
  });

  it('keeps all 64 bits of the ids, and a date whatever its offset', async () => {
    const body =
      '{"id":9007199254740993,"petId":-9223372036854775808,"quantity":2,' +
      '"shipDate":"2026-01-01T01:30:00+01:30","complete":true}';
    const order = {
      id: 9007199254740993n,
      petId: -9223372036854775808n,
      quantity: 2,
      shipDate: '2026-01-01T00:00:00.000Z',
      complete: true,
    };
    expect(await taken(200, body, 'get')).toStrictEqual({ kind: 'shown', order });
    expect(await taken(200, `[${body}]`, 'list')).toStrictEqual({
      kind: 'listed',
      orders: [order],
    });
  });

  it('keeps no status of an order, which the contract does not define', async () => {
    const body = '{"id":7,"petId":1,"quantity":2,"complete":false,"status":"PLACED"}';
    const order = { id: 7n, petId: 1n, quantity: 2, complete: false };
    expect(await taken(200, body, 'get')).toStrictEqual({ kind: 'shown', order });
  });

  it('that is no order is not what was asked for', async () => {
    const answer = await taken(200, '[{"id":"1"}]', 'list');
    expect(answer).toStrictEqual({ kind: 'unexpected', words: '200 [{"id":"1"}]' });
  });

  it('from nobody means that nothing was done', async () => {
    const server = createServer();
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    server.close();
    await once(server, 'close');
    const caller = new HttpCaller(() => `http://127.0.0.1:${port}/v1`, 'a-key');
    expect(await caller.call({ kind: 'list' })).toStrictEqual({ kind: 'untouched' });
    caller.close();
  });
});

test('A connection that is cut leaves the outcome open, and the server has the request', async () => {
  const asked: string[] = [];
  const server = createServer((req) => void asked.push(`${req.method} ${req.url}`));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const caller = new HttpCaller(() => `http://127.0.0.1:${port}/v1`, 'a-key');
  for (const cutAfter of [0, 5]) {
    const recorder = new Recorder();
    const cancel = { kind: 'cancel', id: 7n } as const;
    await recorder.record(3, cancel, () => caller.call(cancel, cutAfter));
    expect(recorder.history).toMatchObject([
      { client: 3, request: cancel, answer: { kind: 'unknown' }, returned: Infinity },
    ]);
  }
  while (asked.length < 2) await new Promise(setImmediate);
  expect(asked).toStrictEqual(['DELETE /v1/store/orders/7', 'DELETE /v1/store/orders/7']);
  caller.close();
  server.closeAllConnections();
  server.close();
});
