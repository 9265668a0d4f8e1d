import { describe, expect, it } from 'vitest';
import { sourceOf } from '../../../../../src/app/audit/proofs/cloud-event.ts';
import {
  type EventFilter,
  type EventRun,
  History,
} from '../../../../../src/app/audit/trail/history.ts';
import { Epochs } from '../../../../../src/app/log/epochs.ts';
import type { NewEvent } from '../../../../../src/app/log/recorded-event.ts';
import { MemoryEventLog } from '../../../../../src/infra/memory/event-log.ts';
import { MemoryKeyStore } from '../../../../../src/infra/memory/key-store.ts';
import { cancelled, NOON, newEvent, placed, TRACEPARENT } from '../../../../support/events.ts';

async function historyOf(...events: readonly NewEvent[]) {
  const log = new MemoryEventLog();
  const keys = new MemoryKeyStore();
  await log.append(0, () => events);
  return { keys, trail: log.trail, history: new History(new Epochs('s'), log.trail, keys) };
}

/** A history of so many orders, of which each that is a multiple of a number is cancelled at once. */
async function ordersWith(count: number, cancelledEvery: number) {
  const events = Array.from({ length: count }, (_, n) => {
    const order = newEvent(placed(BigInt(n + 1)));
    const isCancelled = (n + 1) % cancelledEvery === 0;
    return isCancelled ? [order, newEvent(cancelled(BigInt(n + 1)), 2)] : [order];
  });
  return historyOf(...events.flat());
}

function positionsIn({ events }: EventRun): number[] {
  return events.map(({ position }) => position);
}

/** Every run from the first on, as one follows the other. */
async function allRuns(history: History, limit: number, filter?: EventFilter): Promise<EventRun[]> {
  const runs: EventRun[] = [];
  let last: EventRun | undefined;
  do {
    last = await history.run(last?.end ?? 0, limit, filter);
    runs.push(last);
  } while (last.hasMore);
  return runs;
}

describe('The history', () => {
  it('names the authors, and looks each up once', async () => {
    const by = (author: string, event = newEvent(placed(1n))): NewEvent => {
      return { ...event, metadata: { at: NOON, by: author, commandId: 'c' } };
    };
    const { history, keys } = await historyOf(by('import'), by('k1'), by('k1'), by('k2'));
    const rest = { hash: Buffer.alloc(32), scopes: [], createdAt: NOON };
    const asked: string[] = [];
    const find = keys.find.bind(keys);
    keys.find = (id) => {
      asked.push(id);
      return find(id);
    };
    await keys.add({ id: 'k1', name: 'shop', ...rest });
    await keys.add({ id: 'k2', name: 'gone', revokedAt: NOON, ...rest });
    const { events } = await history.run(0, 10);
    const told = events.map(({ json }) => JSON.parse(json));
    expect(told.map(({ by: author, keyname }) => [author, keyname])).toStrictEqual([
      ['import', undefined],
      ['k1', 'shop'],
      ['k1', 'shop'],
      ['k2', 'gone'],
    ]);
    expect(asked).toStrictEqual(['import', 'k1', 'k2']);
    for (const { source } of told) expect(source).toBe(sourceOf('s'));
  });

  it('has the trace of an event that was recorded with one', async () => {
    const traced = { ...newEvent(placed(2n)), traceparent: TRACEPARENT };
    const { history } = await historyOf(newEvent(placed(1n)), traced);
    const { events } = await history.run(0, 10);
    expect(events.map(({ json }) => JSON.parse(json).traceparent)).toEqual([
      undefined,
      TRACEPARENT,
    ]);
  });

  it('has the events at some positions', async () => {
    const { history } = await ordersWith(5, 2);
    const texts = await history.at([3, 5]);
    expect(texts.map((text) => JSON.parse(text))).toMatchObject([
      { position: 3, type: 'OrderCancelled' },
      { position: 5, type: 'OrderPlaced' },
    ]);
    expect(await history.at([])).toStrictEqual([]);
  });

  it.each([1, 2, 6, 7, 8, 1_000])('has all events in runs of %s', async (limit) => {
    const { history } = await ordersWith(7, 8);
    const runs = await allRuns(history, limit);
    expect(runs.flatMap(positionsIn)).toStrictEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(runs).toHaveLength(Math.ceil(7 / limit));
    expect(runs.at(-1)?.end).toBe(7);
  });

  it('is empty where nothing has happened, and behind the head', async () => {
    const nothing = { events: [], hasMore: false };
    expect(await (await historyOf()).history.run(0, 5)).toStrictEqual({ ...nothing, end: 0 });
    const { history } = await ordersWith(2, 9);
    expect(await history.run(2, 5)).toStrictEqual({ ...nothing, end: 2 });
    expect(await history.run(9, 5, { type: 'OrderPlaced' })).toStrictEqual({ ...nothing, end: 9 });
  });

  it.each([1, 3, 1_000])('has all events of one type in runs of %s', async (limit) => {
    const { history } = await ordersWith(1_500, 100);
    const runs = await allRuns(history, limit, { type: 'OrderCancelled' });
    const expected = Array.from({ length: 15 }, (_, n) => 101 * (n + 1));
    expect(runs.flatMap(positionsIn)).toStrictEqual(expected);
    expect(runs.at(-1)?.end).toBe(1_515);
    for (const run of runs.slice(0, -1)) expect(positionsIn(run)).toHaveLength(limit);
  });

  it('has the events of a command, and of the request that several came with', async () => {
    const of = (id: bigint, commandId: string): NewEvent => {
      return { ...newEvent(placed(id)), metadata: { at: NOON, by: 'test', commandId } };
    };
    const { history } = await historyOf(
      of(1n, 'r-1'),
      of(2n, 'r-10'),
      of(3n, 'r-1:0a'),
      of(4n, 'r-1:0b'),
      of(5n, 'x:r-1'),
    );
    const found = async (filter: EventFilter) => positionsIn(await history.run(0, 10, filter));
    expect(await found({ commandId: 'r-1' })).toStrictEqual([1, 3, 4]);
    expect(await found({ commandId: 'r-1:0b' })).toStrictEqual([4]);
    expect(await found({ commandId: 'r' })).toStrictEqual([]);
    expect(await found({ commandId: 'r-1', type: 'OrderCancelled' })).toStrictEqual([]);
  });

  it('reads one event more than requested, if all types are requested', async () => {
    const { history, trail } = await ordersWith(30, 40);
    const stored = trail.stored.bind(trail);
    const asked: number[] = [];
    trail.stored = (after, limit) => {
      asked.push(limit);
      return stored(after, limit);
    };
    expect((await history.run(3, 10)).end).toBe(13);
    expect(asked).toStrictEqual([11]);
  });

  it('searches a limited part of the log, and returns the position to continue from', async () => {
    const { history, trail } = await ordersWith(25_000, 25_000);
    let read = 0;
    const stored = trail.stored.bind(trail);
    trail.stored = async (after, limit) => {
      const events = await stored(after, limit);
      read += events.length;
      return events;
    };
    const first = await history.run(0, 10, { type: 'OrderCancelled' });
    expect(first).toStrictEqual({ events: [], end: 10_000, hasMore: true });
    expect(read).toBe(10_000);
    const runs = await allRuns(history, 10, { type: 'OrderCancelled' });
    expect(runs.map(({ end }) => end)).toStrictEqual([10_000, 20_000, 25_001]);
    expect(runs.flatMap(positionsIn)).toStrictEqual([25_001]);
  });

  it('lets other work have a turn while it reads many events', async () => {
    const { history } = await ordersWith(1_001, 2_000);
    let turns = 0;
    const count = () => {
      turns += 1;
      timer = setImmediate(count);
    };
    let timer = setImmediate(count);
    expect((await history.run(0, 1_000)).events).toHaveLength(1_000);
    clearImmediate(timer);
    expect(turns).toBeGreaterThanOrEqual(2);
  });
});
