import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type FoldInput, foldInputOf, type NewEvent } from '../../src/app/log/recorded-event.ts';
import type { EventLog, FoldSource } from '../../src/app/ports/event-log.ts';
import { foldSourceOf } from '../../src/app/read/fold-source-of-log.ts';
import { newEvents } from '../support/arbitraries.ts';
import { cancelled, newEvent, placed, readAll, shipped } from '../support/events.ts';

/** A log, its events for folds as another process would read them, and a way around its guards. */
export interface LogWithFoldSource {
  readonly log: EventLog;
  readonly foldSource: FoldSource;
  /** Executes SQL on the table that `events` stands for, whatever its triggers have against it. */
  tamper(sql: (events: string) => string): Promise<void>;
  close(): Promise<void>;
}

/** What every engine promises about the events for folds. */
export function foldSourceContract(name: string, create: () => Promise<LogWithFoldSource>): void {
  async function storeWith(events: readonly NewEvent[]) {
    const store = await create();
    onTestFinished(() => store.close());
    await store.log.append(0, () => events);
    return store;
  }

  describe(`the events of ${name} for folds`, () => {
    it('are those of the log, for any events, from any position to any other', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(newEvents, { maxLength: 20 }),
          fc.nat(20),
          fc.nat(20),
          async (events, after, end) => {
            const { log, foldSource } = await storeWith(events);
            const all = (await readAll(log)).map(foldInputOf);
            for (const source of [foldSource, foldSourceOf(log)]) {
              expect(await taken(source)).toStrictEqual(all);
              const [from, to] = [Math.min(after, all.length), Math.max(after, end)];
              const expected = from < to ? all.slice(from, to) : [];
              expect(await taken(source, from, to)).toStrictEqual(expected);
            }
          },
        ),
        { numRuns: 25 },
      );
    });

    it('come in several chunks', async () => {
      const { log, foldSource } = await storeWith(lives(1_300));
      const all = (await readAll(log)).map(foldInputOf);
      expect(await taken(foldSource)).toStrictEqual(all);
      expect(await taken(foldSourceOf(log))).toStrictEqual(all);
    });

    it('include events appended after they were read ahead', async () => {
      const { log, foldSource } = await storeWith(lives(1_300));
      // By now the rest of them is read ahead, and what follows them, which is nothing so far.
      expect(await taken(foldSource, 0, 1_000)).toHaveLength(1_000);
      await log.append(2_600, () => [newEvent(placed(4_999n))]);
      expect(await taken(foldSource, 1_000)).toHaveLength(1_601);
      await log.append(2_601, () => [newEvent(placed(5_000n)), newEvent(placed(5_001n))]);
      expect((await taken(foldSource, 2_601)).map(({ orderId }) => orderId)).toStrictEqual([
        5_000n,
        5_001n,
      ]);
      expect(await taken(foldSource, 1_000, 1_003)).toHaveLength(3);
    });

    it('are upcast by the codec if an older version has written them', async () => {
      const { log, foldSource, tamper } = await storeWith(lives(600));
      await tamper(
        (events) => `UPDATE ${events} SET schema_version = 1,
        data = '{"orderId":"250","petId":7,"quantity":1,"shipDate":null}' WHERE position = 501`,
      );
      expect(await taken(foldSource)).toStrictEqual((await readAll(log)).map(foldInputOf));
    });

    it.each([
      ['an unknown schema version', 'schema_version = 9', 'unknown schema version 9'],
      ['an unknown type', "type = 'OrderEaten'", 'unknown event type "OrderEaten"'],
      ['other data', "data = '{}'", 'is missing'],
      ['a line feed', "data = data || '\n' || data", 'position 701 cannot be read'],
      ['other metadata', "metadata = '{}'", 'is missing'],
    ])('end with an error at %s, and come up to it', async (_, change, reason) => {
      const { foldSource, tamper } = await storeWith(lives(600));
      await tamper((events) => `UPDATE ${events} SET ${change} WHERE position = 701`);
      await expect(taken(foldSource)).rejects.toThrow('event at position 701 cannot be read');
      await expect(taken(foldSource)).rejects.toThrow(reason);
      expect(await taken(foldSource, 0, 700)).toHaveLength(700);
    });

    it.each([
      ['one is missing', 'position = 701', 701],
      ['the first of a chunk is', 'position = 1001', 1_001],
      ['the last of a chunk is', 'position = 1000', 1_000],
      ['a whole chunk is', 'position > 1000 AND position <= 2100', 1_001],
    ])('end with an error where %s', async (_, missing, position) => {
      const { foldSource, tamper } = await storeWith(lives(1_200));
      await tamper((events) => `DELETE FROM ${events} WHERE ${missing}`);
      await expect(taken(foldSource)).rejects.toThrow(
        `event at position ${position} cannot be read`,
      );
    });
  });
}

/** All that a source hands over after a position, as one who stops at another. */
async function taken(source: FoldSource, after = 0, end = Infinity): Promise<FoldInput[]> {
  const all: FoldInput[] = [];
  let position = after;
  for (let count = 1; count > 0 && position < end; ) {
    count = await source.next(position, ({ ...its }) => {
      const { position, version, type, orderId, petId, quantity, shipDate, reason, at } = its;
      all.push({ position, version, type, orderId, petId, quantity, shipDate, reason, at });
      return its.position < end;
    });
    position += count;
    expect(all.at(-1)?.position ?? after).toBe(position);
  }
  return all;
}

/** A life of so many orders, of two events each. */
function lives(count: number): NewEvent[] {
  return Array.from({ length: count }, (_, index) => [
    newEvent(placed(BigInt(index))),
    newEvent(index % 2 === 0 ? shipped(BigInt(index)) : cancelled(BigInt(index)), 2),
  ]).flat();
}
