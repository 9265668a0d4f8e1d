import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { ALL_IDS } from '../../../../src/app/log/epochs.ts';
import type { RecordedEvent } from '../../../../src/app/log/recorded-event.ts';
import type { Outcome, Submission } from '../../../../src/app/log/submission.ts';
import type {
  AppendResult,
  Decide,
  EventLog,
  OutcomeName,
} from '../../../../src/app/ports/event-log.ts';
import { Projector } from '../../../../src/app/read/projector.ts';
import { OrderImage } from '../../../../src/app/state/order-image.ts';
import { OrderList } from '../../../../src/app/state/order-list.ts';
import { Writer } from '../../../../src/app/write/writer.ts';
import type { OrderId, PetId } from '../../../../src/domain/order-id.ts';
import { MemoryEventLog } from '../../../../src/infra/memory/event-log.ts';
import { openDatabase } from '../../../../src/infra/sqlite/database.ts';
import { SqliteEventLog } from '../../../../src/infra/sqlite/event-log.ts';
import { NOTHING_KEPT } from '../../../kit-mutants/faults.ts';
import { fewOrderIds, submissionsTo } from '../../../support/arbitraries.ts';
import {
  cancelled,
  LATER,
  NOON,
  newEvent,
  placed,
  readAll,
  recorded,
  shipped,
  TRACEPARENT,
} from '../../../support/events.ts';
import { temporaryFile } from '../../../support/folder.ts';
import { runs } from '../../../support/nightly.ts';
import { ModelStore } from '../../../support/order-model.ts';

const MAX = 2n ** 63n - 1n;
const noon = () => Date.parse(NOON);

function submission(command: Submission['command']): Submission {
  return { command, by: 'alice', commandId: 'c-1' };
}

const petId = 7n as PetId;
const id = (orderId: bigint) => orderId as OrderId;
const placeNew = submission({ type: 'PlaceNewOrder', petId, quantity: 1 });
const place = (orderId: bigint) => {
  return submission({ type: 'PlaceOrder', orderId: id(orderId), petId, quantity: 1 });
};
const ship = (orderId: bigint) => {
  return submission({ type: 'ShipOrder', orderId: id(orderId), shipDate: NOON });
};
const cancel = (orderId: bigint) => submission({ type: 'CancelOrder', orderId: id(orderId) });

const accepted = (orderId: bigint, version: number, position: number): Outcome => {
  return { kind: 'accepted', orderId: id(orderId), version, position };
};

async function writerOn(log: EventLog = new MemoryEventLog(), now: () => number = noon) {
  return { log, writer: await Writer.open(log, now) };
}

/** What a log holds, but for the time, which the model knows nothing of. */
async function contents(log: EventLog) {
  return (await readAll(log)).map(({ event, version, metadata: { by, commandId } }) => {
    return { event, version, by, commandId };
  });
}

/** An engine whose first append is decided late, and overtaken. */
class Overtaken extends MemoryEventLog {
  #appends = 0;

  override async append(...[seen, decide, names]: Parameters<MemoryEventLog['append']>) {
    this.#appends += 1;
    if (this.#appends > 1) return super.append(seen, decide, names);
    await Promise.resolve();
    decide([], NOTHING_KEPT);
    return { kind: 'overtaken' } as const;
  }
}

/** An engine that tries every append again, as one may after losing a race. */
class AskingTwice extends MemoryEventLog {
  override append(
    seen: number,
    decide: Decide,
    asked: readonly OutcomeName[],
  ): Promise<AppendResult> {
    const twice: Decide = (newer, kept) => {
      decide(newer, { recall: (by, key) => kept.recall(by, key), keep: () => {} });
      return decide(newer, kept);
    };
    return super.append(seen, twice, asked);
  }
}

/** An engine that has lost its first event. */
class WithoutTheFirst extends MemoryEventLog {
  override async *read(): AsyncIterable<readonly RecordedEvent[]> {
    yield recorded(placed(1n), placed(2n)).slice(1);
  }
}

/** An engine whose disk goes away at the worst moment. */
class FailingAtCommit extends MemoryEventLog {
  override async append(): Promise<AppendResult> {
    return { kind: 'unknown', cause: new Error('the disk is gone') };
  }
}

/** An engine that remembers how much those who appended had seen. */
class Remembering extends MemoryEventLog {
  readonly seen: number[] = [];

  override append(seen: number, decide: Decide): Promise<AppendResult> {
    this.seen.push(seen);
    return super.append(seen, decide);
  }
}

describe('a batch of commands', () => {
  it('stores the trace of each command beside its events, if there are any', async () => {
    const log = new MemoryEventLog();
    const { writer } = await writerOn(log);
    const traced = (command: Submission) => ({ ...command, traceparent: TRACEPARENT });
    await writer.execute([traced(place(1n)), place(2n), traced(cancel(1n)), traced(cancel(1n))]);
    expect(await log.trail.traces([1, 2, 3, 4])).toStrictEqual(
      new Map([
        [1, TRACEPARENT],
        [3, TRACEPARENT],
      ]),
    );
  });

  it('is decided on the events of the previous batch without reading them again', async () => {
    const log = new Remembering();
    const { writer } = await writerOn(log);
    await writer.execute([place(1n), place(2n)]);
    await writer.execute([cancel(1n)]);
    await writer.execute([cancel(2n)]);
    expect(log.seen).toStrictEqual([0, 2, 3]);
  });

  it('is decided on events that a projection on the same list has folded meanwhile', async () => {
    const log = new Remembering();
    const list = new OrderList(() => undefined);
    const writer = new Writer(log, list.image, list, noon);
    await writer.execute([place(1n)]);
    await (await Writer.open(log, noon)).execute([place(2n)]);
    log.seen.length = 0;
    await new Projector(log, list).catchUp();
    expect(await writer.execute([cancel(2n)])).toStrictEqual([accepted(2n, 2, 3)]);
    expect(log.seen).toStrictEqual([2]);
    expect(list.get(id(2n))?.status).toBe('cancelled');
  });

  it('is decided in order, each command on the state that the one before it left', async () => {
    const { log, writer } = await writerOn();
    expect(await writer.execute([place(1n), cancel(1n), cancel(1n), ship(1n)])).toStrictEqual([
      accepted(1n, 1, 1),
      accepted(1n, 2, 2),
      accepted(1n, 2, 2),
      { kind: 'rejected', reason: 'order_cancelled' },
    ]);
    expect((await readAll(log)).map(({ event }) => event)).toStrictEqual([
      placed(1n),
      cancelled(1n),
    ]);
  });

  it('includes latecomers, after the others', async () => {
    const { log, writer } = await writerOn();
    const late = [[cancel(1n), place(2n)]];
    expect(await writer.execute([place(1n), ship(3n)], () => late.shift() ?? [])).toStrictEqual([
      accepted(1n, 1, 1),
      { kind: 'rejected', reason: 'order_not_found' },
      accepted(1n, 2, 2),
      accepted(2n, 1, 3),
    ]);
    expect(await log.head()).toBe(3);
  });

  it('includes latecomers when the engine retries', async () => {
    const { writer } = await writerOn(new AskingTwice());
    const late = [[cancel(1n)], [place(2n)]];
    expect(await writer.execute([place(1n)], () => late.shift() ?? [])).toStrictEqual([
      accepted(1n, 1, 1),
      accepted(1n, 2, 2),
      accepted(2n, 1, 3),
    ]);
  });

  it('includes latecomers when the append that they joined is overtaken', async () => {
    const { writer } = await writerOn(new Overtaken());
    const late = [place(2n)];
    const outcomes = await writer.execute([place(1n)], () => late.splice(0));
    expect(outcomes).toStrictEqual([accepted(1n, 1, 1), accepted(2n, 1, 2)]);
  });

  it('leaves latecomers in doubt, too', async () => {
    class FailingLate extends MemoryEventLog {
      override async append(seen: number, decide: Decide): Promise<AppendResult> {
        decide([], NOTHING_KEPT);
        return { kind: 'unknown', cause: new Error(`the disk is gone after ${seen}`) };
      }
    }
    const { writer } = await writerOn(new FailingLate());
    const unknown = { kind: 'unknown', cause: 'the disk is gone after 0' };
    const late = [[place(2n), place(3n)]];
    expect(await writer.execute([place(1n)], () => late.shift() ?? [])).toStrictEqual([
      unknown,
      unknown,
      unknown,
    ]);
  });

  it('is recorded with versions, times, authors and command ids', async () => {
    const { log, writer } = await writerOn();
    await writer.execute([{ ...place(1n), by: 'bob', commandId: 'c-2' }, ship(1n)]);
    expect(await readAll(log)).toStrictEqual([
      {
        position: 1,
        event: placed(1n),
        version: 1,
        metadata: { at: NOON, by: 'bob', commandId: 'c-2' },
      },
      {
        position: 2,
        event: shipped(1n),
        version: 2,
        metadata: { at: NOON, by: 'alice', commandId: 'c-1' },
      },
    ]);
  });

  it('records nothing for refused commands, or if the requested state is reached already', async () => {
    const { log, writer } = await writerOn();
    await writer.execute([place(1n), cancel(1n)]);
    const outcomes = await writer.execute([cancel(1n), ship(1n), place(1n), cancel(2n)]);
    expect(outcomes).toStrictEqual([
      accepted(1n, 2, 2),
      { kind: 'rejected', reason: 'order_cancelled' },
      { kind: 'rejected', reason: 'order_exists' },
      { kind: 'rejected', reason: 'order_not_found' },
    ]);
    expect(await log.head()).toBe(2);
  });

  it('may be empty', async () => {
    const { log, writer } = await writerOn();
    expect(await writer.execute([])).toStrictEqual([]);
    expect(await log.head()).toBe(0);
  });
});

describe('the id of a new order', () => {
  /** The ids that two new orders get, one after the other, where these are there already. */
  async function newIdsAfter(...taken: bigint[]) {
    const { writer } = await writerOn();
    const outcomes = await writer.execute([...taken.map(place), placeNew, placeNew]);
    const more = await writer.execute([placeNew]);
    return [...outcomes.slice(taken.length), ...more].map((outcome) => {
      return outcome.kind === 'accepted' && outcome.orderId;
    });
  }

  it.each([
    ['is 1 for the first', [], [1n, 2n, 3n]],
    ['is one above the highest', [3n, 40n, 7n], [41n, 42n, 43n]],
    ['is positive where there are only negative ones', [-5n, -(2n ** 63n)], [1n, 2n, 3n]],
    ['is 1 where there is only 0', [0n], [1n, 2n, 3n]],
    ['is exact beyond 2^53', [2n ** 53n], [2n ** 53n + 1n, 2n ** 53n + 2n, 2n ** 53n + 3n]],
    ['is the last one there is', [MAX - 1n], [MAX, MAX - 2n, MAX - 3n]],
    ['is the highest that is free where the last is taken', [MAX], [MAX - 1n, MAX - 2n, MAX - 3n]],
    [
      'passes over what is taken at the end',
      [MAX, MAX - 1n, MAX - 3n],
      [MAX - 2n, MAX - 4n, MAX - 5n],
    ],
  ])('%s', async (_, taken, ids) => {
    expect(await newIdsAfter(...taken)).toStrictEqual(ids);
  });

  it('is never that of an order that was cancelled or shipped', async () => {
    const { writer } = await writerOn();
    await writer.execute([place(5n), cancel(5n), place(6n), ship(6n)]);
    expect(await writer.execute([placeNew])).toStrictEqual([accepted(7n, 1, 5)]);
  });
});

describe('the time at which an event is recorded', () => {
  it('never decreases, whatever the clock does', async () => {
    const clock = { now: Date.parse(LATER) };
    const { log, writer } = await writerOn(undefined, () => clock.now);
    await writer.execute([place(1n)]);
    clock.now = Date.parse(NOON);
    await writer.execute([place(2n)]);
    clock.now = Date.parse(LATER) + 1;
    await writer.execute([place(3n)]);
    const times = (await readAll(log)).map(({ metadata }) => metadata.at);
    expect(times).toStrictEqual([LATER, LATER, '2026-01-01T13:00:00.001Z']);
  });

  it('is not before that of an event recorded by another writer meanwhile', async () => {
    const { log, writer } = await writerOn();
    const event = newEvent(placed(1n));
    await log.append(0, () => [{ ...event, metadata: { ...event.metadata, at: LATER } }]);
    await writer.execute([cancel(1n)]);
    expect((await readAll(log, 1))[0]?.metadata.at).toBe(LATER);
  });

  it('is unknown with a clock beyond the year 9999: nothing is recorded until it is corrected', async () => {
    const clock = { now: Date.parse('9999-12-31T23:59:59.999Z') + 1 };
    const { log, writer } = await writerOn(undefined, () => clock.now);
    const cause = 'the clock is outside the years 0000 to 9999';
    const refused = { kind: 'unavailable', cause };
    expect(await writer.execute([place(1n), cancel(1n)])).toStrictEqual([refused, refused]);
    expect(await log.head()).toBe(0);
    clock.now = Date.parse(NOON);
    expect(await writer.execute([place(1n)])).toStrictEqual([accepted(1n, 1, 1)]);
  });
});

describe('a writer', () => {
  it('opens on a log that has events', async () => {
    const { log, writer } = await writerOn();
    await writer.execute([place(1n), ship(1n)]);
    const { writer: next } = await writerOn(log);
    expect(await next.execute([cancel(1n), placeNew])).toStrictEqual([
      { kind: 'rejected', reason: 'order_already_shipped' },
      accepted(2n, 1, 3),
    ]);
  });

  it('starts from the list that is served, and folds into it', async () => {
    const list = new OrderList((orders) => orders.length);
    const start = Writer.startOf(list);
    expect(await start.makeWriter(new MemoryEventLog(), ALL_IDS).execute([placeNew])).toEqual([
      accepted(1n, 1, 1),
    ]);
    expect([list.position, list.get(id(1n))?.status]).toEqual([1, 'pending']);
    const packed = new OrderImage(start.packImage());
    expect([packed.highestId, packed.state(id(1n)).status]).toEqual([1n, 'pending']);
    expect(packed.stateAt(0)).toEqual(list.image.stateAt(0));
  });

  it('decides on the events recorded by another writer meanwhile', async () => {
    const { log, writer } = await writerOn();
    const { writer: other } = await writerOn(log);
    await writer.execute([place(1n)]);
    await other.execute([ship(1n)]);
    expect(await writer.execute([cancel(1n), placeNew])).toStrictEqual([
      { kind: 'rejected', reason: 'order_already_shipped' },
      accepted(2n, 1, 3),
    ]);
  });

  it('tolerates an engine that retries and passes the same events again', async () => {
    const { log, writer } = await writerOn(new AskingTwice());
    const { writer: other } = await writerOn(log);
    await other.execute([place(1n)]);
    expect(await writer.execute([cancel(1n), placeNew])).toStrictEqual([
      accepted(1n, 2, 2),
      accepted(2n, 1, 3),
    ]);
    expect(await log.head()).toBe(3);
  });

  describe('asked under an idempotency key', () => {
    const keyed = (submission: Submission, idempotencyKey = 'k', by = 'alice') => {
      return { ...submission, by, idempotencyKey };
    };

    it('executes a command once and returns the same outcome again: in a batch, later, and after a restart', async () => {
      const { log, writer } = await writerOn();
      const first = accepted(1n, 1, 1);
      const twice = [keyed(placeNew), keyed(placeNew)];
      expect(await writer.execute(twice)).toStrictEqual([first, first]);
      await writer.execute([cancel(1n)]);
      expect(await writer.execute([keyed(placeNew)])).toStrictEqual([first]);
      const { writer: next } = await writerOn(log);
      expect(await next.execute([keyed(placeNew)])).toStrictEqual([first]);
      expect(await log.head()).toBe(2);
    });

    it('requests the outcomes under the given keys, and no others', async () => {
      const { log, writer } = await writerOn();
      const append = vi.spyOn(log, 'append');
      await writer.execute([place(1n), keyed(cancel(1n)), keyed(place(2n), 'k', 'bob')]);
      await writer.execute([ship(1n)]);
      expect(append.mock.calls.map(([, , asked]) => asked)).toStrictEqual([
        [
          { by: 'alice', key: 'k' },
          { by: 'bob', key: 'k' },
        ],
        [],
      ]);
    });

    it('gives the same refusal again, even if it would no longer be refused', async () => {
      const { writer } = await writerOn();
      const refused: Outcome = { kind: 'rejected', reason: 'order_not_found' };
      expect(await writer.execute([keyed(ship(1n))])).toStrictEqual([refused]);
      await writer.execute([place(1n)]);
      expect(await writer.execute([keyed(ship(1n))])).toStrictEqual([refused]);
      expect(await writer.execute([keyed(ship(1n), 'k2')])).toStrictEqual([accepted(1n, 2, 2)]);
    });

    it('refuses another request under the same key, and changes nothing', async () => {
      const { log, writer } = await writerOn();
      await writer.execute([keyed(placeNew)]);
      const dated = { ...placeNew.command, shipDate: NOON } as Submission['command'];
      const others = [
        cancel(1n),
        ship(1n),
        submission(dated),
        submission({ type: 'PlaceNewOrder', petId, quantity: 2 }),
        { ...placeNew, onlyIf: [1] },
      ];
      const reused: Outcome = { kind: 'rejected', reason: 'idempotency_key_reused' };
      expect(await writer.execute(others.map((other) => keyed(other)))).toStrictEqual(
        others.map(() => reused),
      );
      expect(await log.head()).toBe(1);
    });

    it('keeps the keys of different clients apart', async () => {
      const { writer } = await writerOn();
      const asked = [keyed(placeNew), keyed(placeNew, 'k', 'bob'), keyed(placeNew, 'K')];
      expect(await writer.execute(asked)).toStrictEqual(
        [1n, 2n, 3n].map((orderId) => accepted(orderId, 1, Number(orderId))),
      );
    });
  });

  describe('asked on a condition', () => {
    const when = (submission: Submission, ...onlyIf: number[]) => ({ ...submission, onlyIf });
    const failed: Outcome = { kind: 'rejected', reason: 'precondition_failed' };

    it('is executed in one of the named versions, and in no other', async () => {
      const { log, writer } = await writerOn();
      await writer.execute([place(1n), place(2n)]);
      const asked = [when(ship(1n), 2), when(ship(1n)), when(ship(1n), 3, 1), when(cancel(2n), 0)];
      expect(await writer.execute(asked)).toStrictEqual([
        failed,
        failed,
        accepted(1n, 2, 3),
        failed,
      ]);
      expect(await log.head()).toBe(3);
    });

    it('ignores the condition if the command would be refused anyway', async () => {
      const { writer } = await writerOn();
      await writer.execute([place(1n), ship(1n)]);
      expect(await writer.execute([when(cancel(1n), 1), when(cancel(2n), 1)])).toStrictEqual([
        { kind: 'rejected', reason: 'order_already_shipped' },
        { kind: 'rejected', reason: 'order_not_found' },
      ]);
    });

    it('accepts the cancellation of a cancelled order, whatever version is named', async () => {
      const { writer } = await writerOn();
      await writer.execute([place(1n), cancel(1n), place(2n), ship(2n)]);
      expect(await writer.execute([when(cancel(1n), 1)])).toStrictEqual([accepted(1n, 2, 2)]);
      expect(await writer.execute([when(ship(2n), 1)])).toStrictEqual([failed]);
    });
  });

  it('refuses a log with a gap', async () => {
    await expect(Writer.open(new WithoutTheFirst())).rejects.toThrow(
      'position 2 does not follow position 0',
    );
  });

  it('reports a full disk, discards its decisions, and continues when there is space', async () => {
    const db = openDatabase(temporaryFile());
    const { log, writer } = await writerOn(new SqliteEventLog(db));
    await writer.execute([place(1n)]);
    db.pragma(`max_page_count = ${db.pragma('page_count', { simple: true })}`);
    const many = Array.from({ length: 500 }, () => placeNew);
    const outcomes = await writer.execute([...many, cancel(1n)]);
    expect(new Set(outcomes.map(({ kind }) => kind))).toStrictEqual(new Set(['unavailable']));
    expect(outcomes).toHaveLength(501);
    db.pragma('max_page_count = 1073741823');
    expect(await writer.execute([placeNew, ship(1n)])).toStrictEqual([
      accepted(2n, 1, 2),
      accepted(1n, 2, 3),
    ]);
    await log.close();
  });

  it('reports an unknown outcome when the commit itself failed', async () => {
    const { writer } = await writerOn(new FailingAtCommit());
    const unknown = { kind: 'unknown', cause: 'the disk is gone' };
    expect(await writer.execute([place(1n), cancel(2n)])).toStrictEqual([unknown, unknown]);
  });
});

describe.each([
  { engine: 'memory', open: () => new MemoryEventLog(), numRuns: runs(300) },
  {
    engine: 'SQLite',
    open: () => new SqliteEventLog(openDatabase(temporaryFile())),
    numRuns: runs(20),
  },
])('whatever is asked of a store in $engine', ({ open, numRuns }) => {
  const submissions = submissionsTo(fewOrderIds);
  const batches = fc.array(fc.array(submissions, { maxLength: 8 }), { maxLength: 6 });

  it('the division into batches makes no difference to log and outcomes', async () => {
    await fc.assert(
      fc.asyncProperty(batches, async (split) => {
        const model = new ModelStore();
        const { log, writer } = await writerOn(open());
        const { log: slowLog, writer: slow } = await writerOn(new MemoryEventLog());
        for (const batch of split) {
          const outcomes = await writer.execute(batch);
          expect(outcomes).toStrictEqual(batch.map((each) => model.submit(each)));
          for (const [index, each] of batch.entries()) {
            expect(await slow.execute([each])).toStrictEqual([outcomes[index]]);
          }
        }
        expect(await contents(log)).toStrictEqual(model.recorded);
        expect(await readAll(slowLog)).toStrictEqual(await readAll(log));
        await log.close();
      }),
      { numRuns },
    );
  });

  it('it makes no difference which of several writers executes a command', async () => {
    const turns = fc.array(
      fc.tuple(fc.nat({ max: 2 }), fc.array(submissions, { minLength: 1, maxLength: 3 })),
      { maxLength: 15 },
    );
    await fc.assert(
      fc.asyncProperty(turns, async (todo) => {
        const model = new ModelStore();
        const log = open();
        const writers = [await writerOn(log), await writerOn(log), await writerOn(log)];
        for (const [turn, batch] of todo) {
          const outcomes = await writers[turn]?.writer.execute(batch);
          expect(outcomes).toStrictEqual(batch.map((each) => model.submit(each)));
        }
        expect(await contents(log)).toStrictEqual(model.recorded);
        await log.close();
      }),
      { numRuns },
    );
  });
});
