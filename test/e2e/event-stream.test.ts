import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { Beside } from '../support/beside.ts';
import { EventSource, ended } from '../support/event-source.ts';
import { isNightly } from '../support/nightly.ts';
import { Service } from '../support/service.ts';

const LIST = '/v1/store/orders';
const KILLS = isNightly ? 4 : 2;
const READERS = 3;
/** A number of events that exceeds the operating system's socket buffers. */
const MANY_EVENTS = 60_000;
/** The readers of ten that cut the connection when they have stopped for long. */
const GONE = isNightly ? 0 : 7;

/** Pseudo-random numbers, the same in every run. */
function dice(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

/** Places and cancels orders until told to stop, even while the service is killed. */
async function write(service: Service, state: { isOver: boolean }): Promise<void> {
  while (!state.isOver) {
    try {
      const placed = await service.send('POST', LIST, { petId: 7, quantity: 1 });
      if (placed.status !== 201) continue;
      await service.ask('DELETE', `${LIST}/${JSON.parse(placed.text).id}`);
    } catch {
      await setTimeout(5);
    }
  }
}

/** Follows the stream over repeatedly cut connections, until it has received a position. */
async function follow(
  service: Service,
  source: EventSource,
  state: { isOver: boolean; head: number },
  random: () => number,
): Promise<number> {
  let connections = 0;
  while (!state.isOver || Number(source.lastEventId) < state.head) {
    try {
      const res = await source.open(service.address);
      if (res.statusCode !== 200) continue;
      connections += 1;
      const end = ended(res);
      // Cut after some more events, possibly within an event.
      const enough = source.received.length + Math.floor(random() * 60);
      const isDone = ({ received }: EventSource) =>
        received.length > enough || (state.isOver && received.length >= state.head) || undefined;
      await Promise.race([source.until(isDone), end]);
      source.cut();
    } catch {
      await setTimeout(5);
    }
  }
  return connections;
}

it('Readers with cut connections receive every event once while the service is killed', async () => {
  await using service = await Service.start();
  const state = { isOver: false, head: Infinity };
  const sources = Array.from({ length: READERS }, () => new EventSource(service.key));
  const writers = Array.from({ length: 4 }, () => write(service, state));
  const readers = sources.map((source, n) => follow(service, source, state, dice(n + 1)));
  let due = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    due += 150 + 40 * kill;
    await sources[0]?.until(({ received }) => received.length >= due || undefined);
    await service.restart('SIGKILL');
  }
  await using beside = new Beside(service.databaseFile);
  state.isOver = true;
  await Promise.all(writers);
  // One more event, to wake readers that have all the others.
  state.head = (await beside.head()) + 1;
  await beside.place([{ id: -1n }]);
  const connections = await Promise.all(readers);

  const recorded = await beside.events();
  expect(recorded.length).toBeGreaterThan(due);
  for (const [n, { received }] of sources.entries()) {
    const events = received.map(({ id, data }) => ({ id, ...JSON.parse(data) }));
    expect(events.map(({ id }) => Number(id))).toStrictEqual(recorded.map((_, at) => at + 1));
    expect(events.map(({ commandid }) => commandid)).toStrictEqual(
      recorded.map(({ metadata }) => metadata.commandId),
    );
    expect(connections[n]).toBeGreaterThan(KILLS);
  }
});

describe('Readers that stop reading', () => {
  let service: Service;
  beforeAll(async () => {
    service = await Service.start();
    await using beside = new Beside(service.databaseFile);
    await beside.place(Array.from({ length: MANY_EVENTS }, (_, n) => ({ id: BigInt(n) })));
    return () => service[Symbol.asyncDispose]();
  });

  it('cost the service little memory, and miss no event', async () => {
    await service.ask('GET', '/v1/store/events?limit=1000');
    const before = await memoryAtRest(service);
    const sources = Array.from({ length: 10 }, () => new EventSource(service.key));
    for (const source of sources) {
      await source.open(service.address);
      source.pause();
    }
    // About 250 MB are pending for all of them together.
    expect((await memoryAtRest(service)) - before).toBeLessThan(100 * 2 ** 20);
    // By day the last three read on.
    const [gone, readOn] = [sources.slice(0, GONE), sources.slice(GONE)];
    for (const source of gone) source.cut();
    for (const source of readOn) source.resume();
    for (const source of readOn) {
      await source.until(({ received }) => received.length === MANY_EVENTS || undefined);
      expect(received(source)).toStrictEqual(Array.from({ length: MANY_EVENTS }, (_, n) => n + 1));
      source.cut();
    }
  });

  // The last one, which ends the service.
  it('do not delay SIGTERM, which ends the streams of others cleanly', async () => {
    const [quick, slow] = [new EventSource(service.key), new EventSource(service.key)];
    const [whole, stuck] = [await quick.open(service.address), await slow.open(service.address)];
    slow.pause();
    const isWhole = ended(whole);
    await quick.until(({ received }) => received.length === MANY_EVENTS || undefined);
    const begun = performance.now();
    expect(await service.program.end('SIGTERM')).toBe(0);
    // Less than the time that a stop waits for clients that read.
    expect(performance.now() - begun).toBeLessThan(5_000);
    expect(await isWhole).toBe(true);
    stuck.destroy();
    expect(slow.received.length).toBeLessThan(MANY_EVENTS);
  });
});

function received(source: EventSource): number[] {
  return source.received.map(({ id }) => Number(id));
}

/** Returns the resident memory of a process in bytes, once it is idle. */
async function memoryAtRest({ program }: Service): Promise<number> {
  const of = (file: string) => readFileSync(`/proc/${program.child.pid}/${file}`, 'utf8');
  const worked = () => of('stat').split(' ').slice(13, 15).join();
  let last = '';
  while (last !== worked()) {
    last = worked();
    await setTimeout(300);
  }
  return 1_024 * Number(/^VmRSS:\s+(\d+) kB$/m.exec(of('status'))?.[1]);
}
