import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { nextTurn } from '../../../../src/app/event-loop.ts';
import type { Accepted } from '../../../../src/app/log/submission.ts';
import type { EventLog, EventLogReader } from '../../../../src/app/ports/event-log.ts';
import { Projector } from '../../../../src/app/read/projector.ts';
import { OrderList } from '../../../../src/app/state/order-list.ts';
import { Writer } from '../../../../src/app/write/writer.ts';
import type { PetId } from '../../../../src/domain/order-id.ts';
import { MemoryEventLog } from '../../../../src/infra/memory/event-log.ts';
import { openDatabase } from '../../../../src/infra/sqlite/database.ts';
import { SqliteEventLog } from '../../../../src/infra/sqlite/event-log.ts';
import { newEvent, placed, readAll } from '../../../support/events.ts';
import { temporaryFile } from '../../../support/folder.ts';
import { runs } from '../../../support/nightly.ts';

const newList = () => new OrderList((orders) => orders.map(({ id }) => id));

/** Appends an order, and returns the position that it was recorded at. */
async function append(log: MemoryEventLog): Promise<number> {
  const head = await log.head();
  await log.append(head, (newer) => [newEvent(placed(BigInt(head + newer.length)))]);
  return head + 1;
}

/** A log that counts how often it is asked for its head, and can be out of order. */
class CountingLog extends MemoryEventLog {
  asked = 0;
  broken = false;
  /** Its answers wait for this. */
  free: Promise<void> = Promise.resolve();

  override async head(): Promise<number> {
    this.asked += 1;
    await this.free;
    if (this.broken) throw new Error('out of order');
    return super.head();
  }
}

describe('catching up', () => {
  it('shows every event recorded before the call, however calls interleave', async () => {
    const appenders = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 5 });
    const failures = fc.array(fc.boolean(), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), appenders, failures, async (scheduler, todo, fails) => {
        const log = new MemoryEventLog();
        const left = [...fails];
        // An answer may be long on its way: by the time it arrives, the log has grown.
        const slow: EventLogReader = {
          head: scheduler.scheduleFunction(async () => {
            if (left.pop()) throw new Error('out of order');
            return log.head();
          }),
          async *read(after) {
            for await (const chunk of log.read(after)) {
              yield await scheduler.schedule(Promise.resolve(chunk), 'read');
            }
          },
          watch: (grown) => log.watch(grown),
          close: () => log.close(),
        };
        const list = newList();
        const projector = new Projector(slow, list);
        // A round fails those who wait for it and nobody else: so often, and not once more.
        const catchUp = async (): Promise<void> => {
          for (const _ of fails) {
            const outcome = await projector.catchUp().then(
              () => 'caught up',
              () => 'failed',
            );
            if (outcome === 'caught up') return;
          }
          await projector.catchUp();
        };
        const clients = todo.map(async (count) => {
          for (let order = 0; order < count; order++) {
            await scheduler.schedule(Promise.resolve(), 'a client');
            const position = await append(log);
            await catchUp();
            expect(list.position).toBeGreaterThanOrEqual(position);
          }
        });
        await scheduler.waitFor(Promise.all(clients));
        expect(list.position).toBe(todo.reduce((sum, count) => sum + count, 0));
      }),
      { numRuns: runs(300) },
    );
  });

  it('works beside a writer that folds into the same list, however they interleave', async () => {
    const turns = fc.array(fc.constantFrom('own', 'other', 'read'), {
      minLength: 1,
      maxLength: 12,
    });
    await fc.assert(
      fc.asyncProperty(turns, fc.infiniteStream(fc.nat(8)), async (todo, waits) => {
        const log = new MemoryEventLog();
        const later = async () => {
          for (let turns: number = waits.next().value; turns > 0; turns--) await nextTurn();
        };
        // What is recorded can be read long before whoever recorded it is told.
        const slow: EventLog = {
          async append(...asked) {
            await later();
            const result = await log.append(...asked);
            await later();
            return result;
          },
          async head() {
            await later();
            return log.head();
          },
          async *read(after) {
            for await (const chunk of log.read(after)) {
              await later();
              yield chunk;
            }
          },
          watch: (grown) => log.watch(grown),
          close: () => log.close(),
        };
        const list = newList();
        const writer = new Writer(slow, list.image, list);
        const projector = new Projector(slow, list);
        const command = { type: 'PlaceNewOrder', petId: 1n as PetId, quantity: 1 } as const;
        const batch = [{ command, by: 'alice', commandId: 'c' }];
        let written: Promise<unknown> = Promise.resolve();
        const place = async () => {
          const [outcome] = await writer.execute(batch);
          expect(outcome?.kind).toBe('accepted');
          expect(list.position).toBeGreaterThanOrEqual((outcome as Accepted).position);
        };
        const clients = todo.map(async (turn) => {
          await later();
          if (turn === 'read') return projector.catchUp();
          if (turn === 'other') return (await Writer.open(log)).execute(batch);
          written = written.then(place);
          return written;
        });
        await Promise.all(clients);
        await projector.catchUp();
        const again = newList();
        for (const event of await readAll(log)) again.fold(event);
        expect(list.pack()).toStrictEqual(again.pack());
      }),
      { numRuns: runs(300) },
    );
  });

  it('is shared by concurrent callers', async () => {
    const log = new CountingLog();
    const list = newList();
    const projector = new Projector(log, list);
    await append(log);
    log.asked = 0;
    const first = Array.from({ length: 50 }, () => projector.catchUp());
    expect(new Set(first).size).toBe(1);
    await Promise.all(first);
    expect([list.position, log.asked]).toStrictEqual([1, 1]);
  });

  it('reads the log once at a time, however many call while that takes long', async () => {
    const log = new CountingLog();
    const projector = new Projector(log, newList());
    await append(log);
    const before = log.asked;
    const held = Promise.withResolvers<void>();
    log.free = held.promise;
    const calls = [];
    for (let call = 0; call < 5; call++) {
      calls.push(projector.catchUp());
      await nextTurn();
      await nextTurn();
      expect(log.asked - before).toBe(1);
    }
    held.resolve();
    const lists = await Promise.all(calls);
    // All calls during the first round share the second.
    expect(log.asked - before).toBe(2);
    expect(lists.map(({ position }) => position)).toStrictEqual([1, 1, 1, 1, 1]);
  });

  it('reads nothing if there is nothing new', async () => {
    const log = new (class extends MemoryEventLog {
      override read(): never {
        throw new Error('it was read');
      }
    })();
    await new Projector(log, newList()).catchUp();
    await append(log);
    await expect(new Projector(log, newList()).catchUp()).rejects.toThrow('it was read');
  });

  it('fails for its own callers only, and works again for later ones', async () => {
    const log = new CountingLog();
    const list = newList();
    const projector = new Projector(log, list);
    await append(log);
    log.broken = true;
    await expect(projector.catchUp()).rejects.toThrow('out of order');
    const failing = projector.catchUp();
    await expect(failing).rejects.toThrow('out of order');
    log.broken = false;
    await projector.catchUp();
    expect(list.position).toBe(1);
  });

  it('fails if the log ends before its head, instead of returning outdated data', async () => {
    const log = new MemoryEventLog();
    await append(log);
    const projector = new Projector(log, newList(), { next: async () => 0 });
    await expect(projector.catchUp()).rejects.toThrow(
      'event at position 1 cannot be read: it is missing',
    );
  });

  it('lets other work have a turn between the chunks of a long log', async () => {
    const log = new SqliteEventLog(openDatabase(temporaryFile()));
    onTestFinished(() => log.close());
    const events = Array.from({ length: 2_500 }, (_, id) => newEvent(placed(BigInt(id))));
    await log.append(0, () => events);
    const list = newList();
    const turns = new Set<number>();
    const everyTurn = () => {
      turns.add(list.position);
      if (list.position < events.length) setImmediate(everyTurn);
    };
    setImmediate(everyTurn);
    await new Projector(log, list).catchUp();
    everyTurn();
    expect([...turns]).toStrictEqual([0, 1_000, 2_000, 2_500]);
    expect(list.position).toBe(2_500);
  });
});

it('folds no rows behind the head', async () => {
  const log = new MemoryEventLog();
  for (let n = 0; n < 5; n++) await append(log);
  const list = newList();
  const shorter: EventLogReader = {
    read: (after) => log.read(after),
    head: async () => 3,
    watch: (grown) => log.watch(grown),
    close: () => log.close(),
  };
  await new Projector(shorter, list).catchUp();
  expect(list.position).toBe(3);
});
