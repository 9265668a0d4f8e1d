import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { NewEvent, RecordedEvent } from '../../src/app/log/recorded-event.ts';
import type { AppendResult, Decide, EventLog, KeptOutcome } from '../../src/app/ports/event-log.ts';
import type { OrderId } from '../../src/domain/order-id.ts';
import { newEvents } from '../support/arbitraries.ts';
import { cancelled, newEvent, placed, readAll, recorded, shipped } from '../support/events.ts';

/** Opens one more handle on the same log, as another process would. */
export type OpenLog = () => Promise<EventLog>;

/**
 * The contract of every engine's log.
 * @param create Makes an empty log. It vanishes with the test that made it.
 * @param cannot What an engine cannot do, each with the reason.
 */
export function eventLogContract(
  name: string,
  create: () => Promise<OpenLog>,
  cannot: { readonly outliveItsHandles?: string } = {},
): void {
  async function handles<const Count extends number>(count: Count) {
    const open = await create();
    const logs = await Promise.all(Array.from({ length: count }, open));
    onTestFinished(async () => {
      for (const log of logs) await log.close();
    });
    return logs as [EventLog, EventLog, ...EventLog[]];
  }

  describe(`the event log in ${name}`, () => {
    it('is empty at first', async () => {
      const [log] = await handles(1);
      expect(await log.head()).toBe(0);
      expect(await readAll(log)).toStrictEqual([]);
    });

    it('gives events dense positions from 1, across appends', async () => {
      const [log] = await handles(1);
      const events = [placed(1n), placed(2n), shipped(1n), cancelled(2n)];
      const expected = recorded(...events);
      const appended = expected.map(withoutPosition);
      const first = await log.append(0, () => appended.slice(0, 1));
      const second = await log.append(1, () => appended.slice(1));
      expect(first).toStrictEqual({ kind: 'appended', events: expected.slice(0, 1) });
      expect(second).toStrictEqual({ kind: 'appended', events: expected.slice(1) });
      expect(await readAll(log)).toStrictEqual(expected);
      expect(await log.head()).toBe(4);
    });

    it('is read after any position, in chunks without a gap', async () => {
      const [log] = await handles(1);
      await fill(log, 2_600);
      for (const after of [0, 1, 99, 100, 999, 1_000, 1_001, 2_000, 2_599, 2_600, 2_601]) {
        const chunks = await Array.fromAsync(log.read(after));
        expect(chunks.every((chunk) => chunk.length > 0)).toBe(true);
        expect(chunks.flat().map(({ position }) => position)).toStrictEqual(
          positions(after + 1, 2_600),
        );
        if (after === 0) expect(chunks.length).toBeGreaterThan(1);
      }
    });

    it('can be read in part, and continued', async () => {
      const [log] = await handles(1);
      await fill(log, 1_500);
      for await (const [first] of log.read(0)) {
        expect(first?.position).toBe(1);
        break;
      }
      await fill(log, 1);
      expect(await log.head()).toBe(1_501);
    });

    it('includes events that are appended during a read', async () => {
      const [log, other] = await handles(2);
      await fill(log, 1_500);
      const seen: number[] = [];
      for await (const chunk of log.read(0)) {
        if (seen.length === 0) await fill(other, 10);
        seen.push(...chunk.map(({ position }) => position));
      }
      expect(seen).toStrictEqual(positions(1, 1_510));
    });

    it('shows a decision exactly the events after those that were seen', async () => {
      const [log] = await handles(1);
      await fill(log, 1_100);
      for (const seen of [0, 1, 1_000, 1_099, 1_100]) {
        let newer: readonly RecordedEvent[] | undefined;
        await log.append(seen, (given) => {
          newer = given;
          return [];
        });
        expect(newer).toStrictEqual(await readAll(log, seen));
      }
    });

    it('passes the events of other writers to a decision', async () => {
      const [log, other] = await handles(2);
      await fill(log, 1);
      await fill(other, 2);
      const result = await log.append(1, (newer) => newer.map(withoutPosition));
      expect(positionsOf(result)).toStrictEqual([4, 5]);
      expect(await other.head()).toBe(5);
    });

    it('takes an append of nothing, which is no failure', async () => {
      const [log] = await handles(1);
      await fill(log, 3);
      expect(await log.append(3, () => [])).toStrictEqual({ kind: 'appended', events: [] });
      expect(await log.head()).toBe(3);
    });

    it('appends nothing if the decision throws, and works again', async () => {
      const [log] = await handles(1);
      await fill(log, 2);
      const failure = new Error('no decision');
      const append = log.append(0, () => {
        throw failure;
      });
      await expect(append).rejects.toBe(failure);
      expect(await log.head()).toBe(2);
      await fill(log, 1);
      expect(await log.head()).toBe(3);
    });

    it('lets several append at once: every event gets a place of its own, without a gap', async () => {
      const writers = await handles(4);
      const bursts = await Promise.all(
        writers.map((log, writer) => appendAll(log, 40, BigInt(writer))),
      );
      const events = await readAll(writers[0]);
      expect(events.map(({ position }) => position)).toStrictEqual(positions(1, 160));
      for (const [writer, burst] of bursts.entries()) {
        expect(events.filter(({ event }) => event.orderId === BigInt(writer))).toStrictEqual(burst);
      }
    });

    it('makes every decision on the newest state: two writers are never both right', async () => {
      const writers = await handles(4);
      const places = Array.from({ length: 25 }, (_, id) => BigInt(id));
      const placeIfFree = (id: bigint) => (newer: readonly RecordedEvent[]) => {
        return newer.some(({ event }) => event.orderId === id) ? [] : [newEvent(placed(id))];
      };
      await Promise.all(
        writers.map(async (log) => {
          for (const id of places) await log.append(0, placeIfFree(id));
        }),
      );
      const ids = (await readAll(writers[0])).map(({ event }) => event.orderId);
      expect(ids.toSorted((a, b) => Number(a - b))).toStrictEqual(places);
    });

    it('makes every decision on the newest state', async () => {
      const writers = await handles(3);
      const places = Array.from({ length: 60 }, (_, id) => BigInt(id));
      await Promise.all(
        writers.map(async (log) => {
          const seen: RecordedEvent[] = [];
          for (const id of places) {
            let newer: readonly RecordedEvent[] = [];
            const result = await log.append(seen.length, (given) => {
              newer = given;
              const isFree = ![...seen, ...newer].some(({ event }) => event.orderId === id);
              return isFree ? [newEvent(placed(id))] : [];
            });
            if (result.kind !== 'appended') expect.fail(result.kind);
            seen.push(...newer, ...result.events);
          }
          expect(seen.map(({ position }) => position)).toStrictEqual(positions(1, seen.length));
          expect(seen.map(({ event }) => event.orderId).toSorted()).toStrictEqual(
            places.toSorted(),
          );
        }),
      );
      expect(await writers[0].head()).toBe(places.length);
    });

    it('passes the events of other writers to a decision that appends nothing, too', async () => {
      const [log, other] = await handles(2);
      await fill(log, 1);
      await fill(other, 2);
      let newer: readonly RecordedEvent[] = [];
      const result = await log.append(1, (given) => {
        newer = given;
        return [];
      });
      expect(result).toStrictEqual({ kind: 'appended', events: [] });
      expect(newer.map(({ position }) => position)).toStrictEqual([2, 3]);
    });

    it('keeps the extremes of every number, and any text', async () => {
      const [log, other] = await handles(2);
      const extremes = [-(2n ** 63n), 2n ** 63n - 1n, 2n ** 53n + 1n, -(2n ** 53n) - 1n, 0n];
      const events = extremes.map((id) => ({
        ...newEvent(placed(id, { petId: id as never, quantity: 2_147_483_647 })),
        metadata: { ...newEvent(placed(id)).metadata, by: '"\\\u0000\u001f\u2028 \u{1f436}é' },
      }));
      await log.append(0, () => events);
      expect((await readAll(other)).map(withoutPosition)).toStrictEqual(events);
    });

    it('calls who watches when anybody has appended, until they stop', async () => {
      const [log, other] = await handles(2);
      const calls = { stopped: 0, mine: 0 };
      let called = Promise.withResolvers<void>();
      const stop = log.watch(() => {
        calls.stopped += 1;
      });
      const stopMine = log.watch(() => {
        calls.mine += 1;
        called.resolve();
      });
      stop();
      // The second watcher's calls are the clock: the first would have been called before each.
      for (const appender of [other, log, other]) {
        called = Promise.withResolvers();
        await fill(appender, 1);
        await called.promise;
      }
      stopMine();
      expect(calls.stopped).toBe(0);
      expect(calls.mine).toBeGreaterThanOrEqual(3);
    });

    it('finishes an append under way before it closes', async () => {
      const open = await create();
      const log = await open();
      const append = log.append(0, () => [newEvent(placed(1n))]);
      await log.close();
      expect(positionsOf(await append)).toStrictEqual([1]);
    });

    it('keeps an outcome together with the events of the same append, for every handle', async () => {
      const [log, other] = await handles(2);
      const keepFirst: Decide = (_newer, kept) => {
        expect(kept.recall('alice', 'a')).toBeUndefined();
        kept.keep(ACCEPTED);
        expect(kept.recall('alice', 'a')).toStrictEqual(ACCEPTED);
        return [newEvent(placed(1n))];
      };
      const keepSecond: Decide = (_newer, kept) => {
        expect(kept.recall('alice', 'a')).toStrictEqual(ACCEPTED);
        expect(kept.recall('bob', 'a')).toBeUndefined();
        expect(kept.recall('alice', 'b')).toBeUndefined();
        kept.keep(REFUSED);
        return [];
      };
      const recallSecond: Decide = (_newer, kept) => {
        expect(kept.recall('bob', 'a')).toStrictEqual(REFUSED);
        return [];
      };
      await log.append(0, keepFirst, [ACCEPTED]);
      await other.append(1, keepSecond, [ACCEPTED, REFUSED, { by: 'alice', key: 'b' }]);
      await log.append(1, recallSecond, [REFUSED]);
    });

    it('keeps no outcome when nothing is appended because the decision throws', async () => {
      const [log] = await handles(1);
      const append = log.append(0, (_newer, kept) => {
        kept.keep(ACCEPTED);
        throw new Error('refused');
      });
      await expect(append).rejects.toThrow('refused');
      const recall: Decide = (_newer, kept) => {
        expect(kept.recall('alice', 'a')).toBeUndefined();
        return [];
      };
      await log.append(0, recall, [ACCEPTED]);
    });

    it('behaves like an array for any sequence of calls on two handles', async () => {
      const steps = fc.oneof(
        fc.record({ append: fc.array(newEvents, { maxLength: 5 }), seen: fc.nat() }),
        fc.record({ refuse: fc.constant(true), seen: fc.nat() }),
        fc.record({ readAfter: fc.nat() }),
      );
      const turns = fc.array(fc.tuple(fc.nat({ max: 1 }), steps), { maxLength: 20 });
      await fc.assert(
        fc.asyncProperty(turns, async (todo) => {
          const open = await create();
          const logs = [await open(), await open()];
          const array: RecordedEvent[] = [];
          for (const [handle, step] of todo) {
            await inBoth(logs[handle] as EventLog, array, step);
          }
          for (const log of logs) expect(await readAll(log)).toStrictEqual(array);
          for (const log of logs) await log.close();
        }),
        { numRuns: 40 },
      );
    });

    it.skipIf(cannot.outliveItsHandles !== undefined)(
      `holds what was appended after it was closed and opened again${because(cannot.outliveItsHandles)}`,
      async () => {
        const open = await create();
        const log = await open();
        const keep: Decide = (_newer, kept) => {
          kept.keep(ACCEPTED);
          return [newEvent(placed(1n)), newEvent(shipped(1n), 2)];
        };
        await log.append(0, keep, [ACCEPTED]);
        const before = await readAll(log);
        await log.close();
        const again = await open();
        expect(await readAll(again)).toStrictEqual(before);
        const recall: Decide = (_newer, kept) => {
          expect(kept.recall('alice', 'a')).toStrictEqual(ACCEPTED);
          return [newEvent(placed(2n))];
        };
        const result = await again.append(2, recall, [ACCEPTED]);
        expect(positionsOf(result)).toStrictEqual([3]);
        await again.close();
      },
    );
  });
}

const ACCEPTED: KeptOutcome = {
  by: 'alice',
  key: 'a',
  fingerprint: 'f',
  decided: { kind: 'accepted', orderId: (2n ** 63n - 1n) as OrderId, version: 2 },
};
const REFUSED: KeptOutcome = {
  by: 'bob',
  key: 'a',
  fingerprint: 'g',
  decided: { kind: 'rejected', reason: 'order_already_shipped' },
};

type Step =
  | { readonly append: readonly NewEvent[]; readonly seen: number }
  | { readonly refuse: boolean; readonly seen: number }
  | { readonly readAfter: number };

/** Takes a step on the log and on the plain array, and sees that both answer the same. */
async function inBoth(log: EventLog, array: RecordedEvent[], step: Step): Promise<void> {
  expect(await log.head()).toBe(array.length);
  if ('readAfter' in step) {
    const after = step.readAfter % (array.length + 2);
    expect(await readAll(log, after)).toStrictEqual(array.slice(after));
    return;
  }
  const seen = step.seen % (array.length + 1);
  const failure = new Error('refused');
  const result = log.append(seen, (newer) => {
    expect(newer).toStrictEqual(array.slice(seen));
    if ('refuse' in step) throw failure;
    return step.append;
  });
  if ('refuse' in step) {
    await expect(result).rejects.toBe(failure);
    return;
  }
  const events = step.append.map((event, index) => ({
    position: array.length + index + 1,
    ...event,
  }));
  expect(await result).toStrictEqual({ kind: 'appended', events });
  array.push(...events);
}

/** Appends so many orders, whatever is there. */
async function fill(log: EventLog, count: number): Promise<void> {
  const events = Array.from({ length: count }, (_, index) => newEvent(placed(BigInt(index))));
  const result = await log.append(await log.head(), () => events);
  expect(result.kind).toBe('appended');
}

/** Appends so many events one after the other, and returns them as they were recorded. */
async function appendAll(log: EventLog, count: number, id: bigint): Promise<RecordedEvent[]> {
  const all: RecordedEvent[] = [];
  for (let version = 1; version <= count; version++) {
    const result = await log.append(0, () => [newEvent(placed(id), version)]);
    if (result.kind === 'appended') all.push(...result.events);
  }
  return all;
}

function positions(first: number, last: number): number[] {
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
}

function positionsOf(result: AppendResult): number[] | string {
  return result.kind === 'appended' ? result.events.map(({ position }) => position) : result.kind;
}

function withoutPosition({ event, version, metadata }: NewEvent): NewEvent {
  return { event, version, metadata };
}

function because(reason: string | undefined): string {
  return reason === undefined ? '' : `: skipped, because ${reason}`;
}
