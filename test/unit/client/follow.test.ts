import type { ServerResponse } from 'node:http';
import { describe, expect, it, onTestFinished, test, vi } from 'vitest';
import { StoreOrders } from '../../../src/client/client.ts';
import {
  cut,
  json,
  type Reply,
  refusal,
  ScriptedServer,
  silence,
} from '../../support/scripted-server.ts';

const event = (position: number, source = '/store-orders/0123456789abcdef') => {
  return { id: `${position}`, source, position, type: 'OrderPlaced', data: {} };
};
const message = (position: number) =>
  `id: ${position}\ndata: ${JSON.stringify(event(position))}\n\n`;

/** Returns a reply that begins a stream with some text. */
function stream(text: string, then: (res: ServerResponse) => void = () => undefined): Reply {
  return (res) => {
    res.writeHead(200, { 'Content-Type': 'text/event-stream; charset=utf-8' });
    res.write(text, () => then(res));
  };
}

async function followed(script: readonly Reply[], until: number, options: object = {}) {
  await using server = await ScriptedServer.start(...script);
  const store = new StoreOrders({ url: server.url, key: 'key' });
  const stop = new AbortController();
  const [positions, checkpoints, interrupts]: [number[], string[], string[]] = [[], [], []];
  const follow = {
    signal: stop.signal,
    onCheckpoint: (position: string) => void checkpoints.push(position),
    onInterrupt: ({ code }: { code: string }) => void interrupts.push(code),
    ...options,
  };
  for await (const { position } of store.events.follow(follow)) {
    positions.push(position);
    if (position >= until) stop.abort();
  }
  const asked = server.received.map(({ url }) => url);
  return { positions, checkpoints, interrupts, asked };
}

describe('Following the log', () => {
  it('continues behind the last event after every interruption', async () => {
    const { positions, checkpoints, interrupts, asked } = await followed(
      [
        cut,
        refusal(503, 'service_unavailable'),
        stream(message(1) + message(2), (res) => res.destroy()),
        stream(message(3) + message(4).slice(0, -1), (res) => res.destroy()),
        stream(message(4) + message(5) + message(6)),
      ],
      5,
    );
    expect(positions).toEqual([1, 2, 3, 4, 5]);
    expect(checkpoints).toEqual(['1', '2', '3', '4', '5']);
    expect(interrupts).toEqual(['network', 'service_unavailable', 'network', 'network']);
    expect(asked).toEqual([0, 0, 0, 2, 3].map((after) => `/v2/store/events?after=${after}`));
  });

  it('opens a stream again that has ended, or is silent', async () => {
    const { positions, interrupts } = await followed(
      [stream(message(1), (res) => res.end()), stream(message(2)), stream(message(3))],
      3,
      { silenceMs: 300 },
    );
    expect(positions).toEqual([1, 2, 3]);
    expect(interrupts).toEqual(['timeout']);
  });

  it('opens a stream again whose answer does not begin', async () => {
    const script = [silence, stream(message(1))];
    const { interrupts } = await followed(script, 1, { attemptTimeoutMs: 200 });
    expect(interrupts).toEqual(['timeout']);
  });

  it('waits longer after each failure, until an event comes', async () => {
    const random = vi.spyOn(Math, 'random').mockReturnValue(0.5);
    onTestFinished(() => random.mockRestore());
    const delays: number[] = [];
    const onInterrupt = (_: unknown, delayMs: number) => delays.push(delayMs);
    const broken = stream(message(1), (res) => res.destroy());
    await followed([cut, cut, cut, broken, cut, stream(message(2))], 2, { onInterrupt });
    expect(delays).toEqual([50, 100, 200, 50, 100]);
  });

  it('begins at a position, and reports those without a matching event', async () => {
    const { positions, checkpoints, asked } = await followed(
      [
        stream(`:\n\nretry: 1000\n\nid: 1.ab:40\n\n${message(41)}`, (res) => res.destroy()),
        stream(message(50)),
      ],
      50,
      { after: '1.ab:7', type: 'OrderPlaced' },
    );
    expect([positions, checkpoints]).toEqual([
      [41, 50],
      ['1.ab:40', '41', '50'],
    ]);
    expect(asked[0]).toBe('/v2/store/events?after=1.ab%3A7&type=OrderPlaced');
  });

  it.each([
    ['an invalid key', refusal(401, 'unauthorized'), 'unauthorized'],
    ['an ambiguous position', refusal(400, 'invalid_request'), 'invalid_request'],
    ['an answer that is no stream', json(200, []), 'unexpected_response'],
    ['an event that is no JSON', stream('id: 1\ndata: {\n\n'), 'unexpected_response'],
  ])('ends with %s', async (_, reply, code) => {
    await expect(followed([reply], 1)).rejects.toMatchObject({ code });
  });

  it('ends with what a checkpoint throws', async () => {
    const onCheckpoint = () => Promise.reject(new RangeError('disk full'));
    await expect(followed([stream(message(1))], 9, { onCheckpoint })).rejects.toThrow(RangeError);
  });

  it('reports no checkpoint for an event whose handling has not ended', async () => {
    await using server = await ScriptedServer.start(stream(message(1) + message(2) + message(3)));
    const store = new StoreOrders({ url: server.url, key: 'key' });
    const checkpoints: string[] = [];
    const onCheckpoint = (position: string) => void checkpoints.push(position);
    for await (const { position } of store.events.follow({ onCheckpoint })) {
      if (position === 2) break;
    }
    expect(checkpoints).toEqual(['1']);
  });

  it('reads pages where that is wanted, and polls at the end', async () => {
    const { positions, checkpoints, asked } = await followed(
      [
        json(200, [event(1), event(3)], { Link: '<?after=9&limit=1000>; rel="next"' }),
        json(200, [event(10)]),
        json(200, []),
        json(200, [event(11)]),
      ],
      11,
      { over: 'pages', type: 'OrderPlaced' },
    );
    expect(positions).toEqual([1, 3, 10, 11]);
    expect(checkpoints).toEqual(['1', '3', '9', '10', '11']);
    expect(asked.map((url) => new URL(url, 'http://x').searchParams.get('after'))).toEqual([
      '0',
      '9',
      '10',
      '10',
    ]);
  });

  it.each([
    ['in a stream', [stream(message(1) + message(3))], undefined],
    [
      'between two streams',
      [stream(message(1), (res) => res.end()), stream(message(3))],
      undefined,
    ],
    ['as an id alone', [stream(`${message(1)}id: 3\n\n`)], undefined],
    ['on a page', [json(200, [event(1), event(3)])], 'pages'],
    ['between two pages', [json(200, [event(1)]), json(200, [event(3)])], 'pages'],
  ] as const)('ends with a gap %s, and does not go past it', async (_, script, over) => {
    await using server = await ScriptedServer.start(...script);
    const store = new StoreOrders({ url: server.url, key: 'key' });
    const checkpoints: string[] = [];
    const onCheckpoint = (position: string) => void checkpoints.push(position);
    await expect(
      Array.fromAsync(store.events.follow({ over, onCheckpoint })),
    ).rejects.toMatchObject({
      code: 'unexpected_response',
      message: expect.stringMatching(/^200 with the answer to another request, /),
    });
    expect(['', '1']).toContain(checkpoints.join());
  });

  it('names positions of a page with their epoch where the log gave them twice', async () => {
    const source = '/store-orders/0123456789abcdef.1.fbf28317';
    const { checkpoints, asked } = await followed(
      [json(200, [event(2), event(3, source), event(4, source)]), json(200, [event(5)])],
      5,
      { over: 'pages', after: 1 },
    );
    expect(checkpoints).toEqual(['2', '1.fbf28317:3', '1.fbf28317:4', '5']);
    expect(asked.at(-1)).toBe('/v2/store/events?after=1.fbf28317%3A4&limit=1000');
  });
});

test('An aborted signal ends the loop without an error', async () => {
  await using server = await ScriptedServer.start(stream(':\n\n'));
  const store = new StoreOrders({ url: server.url, key: 'key' });
  const stop = new AbortController();
  const interrupts: unknown[] = [];
  const onInterrupt = (error: unknown) => interrupts.push(error);
  setTimeout(() => stop.abort(), 100);
  const options = { signal: stop.signal, onInterrupt };
  expect(await Array.fromAsync(store.events.follow(options))).toEqual([]);
  expect(await Array.fromAsync(store.events.follow(options))).toEqual([]);
  expect(interrupts).toEqual([]);
});

test.each(['stream', 'pages'] as const)(
  "The client's own signal ends a loop over %s between two events that have arrived",
  async (over) => {
    const reply =
      over === 'pages' ? json(200, [event(1), event(2)]) : stream(message(1) + message(2));
    await using server = await ScriptedServer.start(reply);
    const stop = new AbortController();
    const store = new StoreOrders({ url: server.url, key: 'key', signal: stop.signal });
    const positions: number[] = [];
    for await (const { position } of store.events.follow({ over })) {
      positions.push(position);
      stop.abort();
    }
    expect(positions).toEqual([1]);
  },
);

test("The client's own signal ends the wait for a log that is away", async () => {
  const busy = refusal(503, 'service_unavailable', { 'Retry-After': '3600' });
  await using server = await ScriptedServer.start(busy);
  const stop = new AbortController();
  const store = new StoreOrders({ url: server.url, key: 'key', signal: stop.signal });
  const onInterrupt = () => void setTimeout(() => stop.abort(), 50);
  expect(await Array.fromAsync(store.events.follow({ onInterrupt }))).toEqual([]);
  expect(server.received).toHaveLength(1);
});

test('The hooks see each attempt, with its answer unless that is a stream', async () => {
  const busy = refusal(503, 'service_unavailable');
  await using server = await ScriptedServer.start(
    busy,
    stream(message(1), (res) => res.end()),
    refusal(401, 'unauthorized'),
  );
  const seen: unknown[] = [];
  const store = new StoreOrders({
    ...{ url: server.url, key: 'key' },
    onRequest: () => seen.push('request'),
    onResponse: ({ attempt, method, status, durationMs }) =>
      seen.push([attempt, method, status, durationMs >= 0]),
  });
  const following = Array.fromAsync(store.events.follow());
  await expect(following).rejects.toMatchObject({ code: 'unauthorized', status: 401 });
  expect(seen).toEqual([
    ...['request', [1, 'GET', 503, true]],
    'request',
    ...['request', [1, 'GET', 401, true]],
  ]);
});

test('Nobody needs to be told of checkpoints and interruptions', async () => {
  await using server = await ScriptedServer.start(
    cut,
    stream(`id: 1\n\n${message(2)}${message(3)}`),
  );
  const store = new StoreOrders({ url: server.url, key: 'key' });
  const positions: number[] = [];
  for await (const { position } of store.events.follow({ type: 'OrderPlaced' })) {
    positions.push(position);
    if (position === 3) break;
  }
  expect(positions).toEqual([2, 3]);
});

test('A wait that is longer than a timer can be is not cut to nothing', async () => {
  const busy = refusal(503, 'service_unavailable', { 'Retry-After': '9999999999' });
  await using server = await ScriptedServer.start(busy);
  const store = new StoreOrders({ url: server.url, key: 'key' });
  const stop = new AbortController();
  const onInterrupt = () => void setTimeout(() => stop.abort(), 200);
  expect(await Array.fromAsync(store.events.follow({ signal: stop.signal, onInterrupt }))).toEqual(
    [],
  );
  expect(server.received).toHaveLength(1);
});

test.each([-1, Number.NaN, 'soon'])('%j is no limit of a silence', async (silenceMs) => {
  await expect(followed([stream('')], 1, { silenceMs })).rejects.toMatchObject({
    code: 'invalid_request',
    message: 'silenceMs: must be a number from 0 on',
  });
});
