import { describe, expect, it } from 'vitest';
import type { NewEvent } from '../../../src/app/log/recorded-event.ts';
import { newEvent, placed, readAll } from '../../support/events.ts';
import { KEPT, openDistantLog } from '../../support/postgres/distant-log.ts';
import type { Fate, Network } from '../../support/postgres/network.ts';
import { sql } from '../../support/postgres/sql.ts';

const place = (id: number) => (): readonly NewEvent[] => [newEvent(placed(BigInt(id)))];

/** A log that is reached through a network, with a connection ready. */
async function given(maxSearchMs?: number) {
  const distant = await openDistantLog(maxSearchMs);
  // Of which nothing is recorded.
  await distant.log.append(0, () => []);
  const ids = async () => {
    return (await readAll(distant.beside)).map(({ event }) => Number(event.orderId));
  };
  return { ...distant, ids };
}

/**
 * Asks what becomes of each write that is sent; what is sent after one waits for it. Notes the connections of
 * the writes: pings of a slow database have one of their own.
 */
function onWrites(
  network: Network,
  decide: (number: number) => Fate | Promise<Fate>,
): { seen(number: number): Promise<void>; readonly links: ReadonlySet<number> } {
  const seen = [1, 2].map(() => Promise.withResolvers<void>());
  const links = new Set<number>();
  let number = 0;
  network.fromClient = (bytes, link) => {
    if (!bytes.includes('\0write_')) return 'pass';
    links.add(link.number);
    number += 1;
    seen[number - 1]?.resolve();
    return decide(number);
  };
  return { seen: async (number) => seen[number - 1]?.promise, links };
}

describe('an append behind one in flight', () => {
  it('is sent before that one is answered, on the same connection', async () => {
    const { network, log, ids } = await given();
    const writes = onWrites(network, () => 'pass');
    network.fromServer = async (): Promise<Fate> => {
      await writes.seen(2);
      return 'pass';
    };
    expect(log.takesMore).toBe(false);
    const first = log.append(0, place(1));
    expect(log.takesMore).toBe(true);
    await writes.seen(1);
    const second = log.append(1, place(2));
    const third = log.append(2, () => []);
    expect(await first).toMatchObject({ kind: 'appended', events: [{ position: 1 }] });
    expect(await second).toMatchObject({ kind: 'appended', events: [{ position: 2 }] });
    expect(await third).toStrictEqual({ kind: 'appended', events: [] });
    expect(log.takesMore).toBe(false);
    expect(await log.append(2, place(3))).toMatchObject({ kind: 'appended' });
    expect(await ids()).toStrictEqual([1, 2, 3]);
    expect(writes.links.size).toBe(1);
  });

  it('may be followed in turn after that one is answered', async () => {
    const { network, log, ids } = await given();
    const released = Promise.withResolvers<Fate>();
    const writes = onWrites(network, (number) => (number === 2 ? released.promise : 'pass'));
    const first = log.append(0, place(1));
    await writes.seen(1);
    const second = log.append(1, place(2));
    await writes.seen(2);
    expect(await first).toMatchObject({ kind: 'appended' });
    expect(log.takesMore).toBe(true);
    const third = log.append(2, place(3));
    released.resolve('pass');
    expect(await second).toMatchObject({ kind: 'appended', events: [{ position: 2 }] });
    expect(await third).toMatchObject({ kind: 'appended', events: [{ position: 3 }] });
    expect(await ids()).toStrictEqual([1, 2, 3]);
    expect(writes.links.size).toBe(1);
  });

  it('is overtaken with it by another instance, and not recorded', async () => {
    const { log, beside, ids } = await given();
    await beside.append(0, place(7));
    const decided: number[] = [];
    const [first, second] = await Promise.all([
      log.append(0, (newer) => {
        decided.push(newer.length);
        return place(1)();
      }),
      log.append(1, place(2)),
    ]);
    expect(first).toMatchObject({ kind: 'appended', events: [{ position: 2 }] });
    expect(decided).toStrictEqual([0, 1]);
    expect(second).toStrictEqual({ kind: 'overtaken' });
    expect(await ids()).toStrictEqual([7, 1]);
    expect(await log.append(2, place(2))).toMatchObject({ kind: 'appended' });
  });

  it.each([
    ['with events', place(2)],
    ['with none', () => []],
  ])('is overtaken by another instance in between: %s', async (_, decide) => {
    const { network, log, beside, ids } = await given();
    let isFirst = true;
    network.fromClient = async (bytes): Promise<Fate> => {
      if (!bytes.includes('\0write_') && !bytes.includes('\0edge\0')) return 'pass';
      if (!isFirst) {
        // The server may not have carried out the first yet.
        while ((await beside.head()) < 1);
        await beside.append(1, place(7));
      }
      isFirst = false;
      return 'pass';
    };
    const first = log.append(0, place(1));
    // So that the two are not sent in one piece.
    while (isFirst) await new Promise(setImmediate);
    const second = log.append(1, decide);
    expect(await first).toMatchObject({ kind: 'appended', events: [{ position: 1 }] });
    expect(await second).toStrictEqual({ kind: 'overtaken' });
    expect(await ids()).toStrictEqual([1, 7]);
    network.fromClient = () => 'pass';
    expect(await log.append(2, place(2))).toMatchObject({ kind: 'appended' });
  });

  it('is refused if the server refuses the first', async () => {
    const { url, log, ids } = await given();
    await sql(url, 'ALTER TABLE store_orders.events ADD CHECK (order_id <> 1)');
    const results = await Promise.all([log.append(0, place(1)), log.append(1, place(2))]);
    expect(results[0]).toMatchObject({ kind: 'unavailable' });
    expect(['overtaken', 'unavailable']).toContain(results[1]?.kind);
    expect(await ids()).toStrictEqual([]);
    expect(await log.append(0, place(2))).toMatchObject({ kind: 'appended' });
  });

  it('is none where it does not know of that one: it is shown what that one has added', async () => {
    const { log, ids } = await given();
    const seen: number[] = [];
    const append = (id: number) => {
      return log.append(0, (newer) => {
        seen.push(newer.length);
        return place(id)();
      });
    };
    const results = await Promise.all([append(1), append(2)]);
    expect(results).toMatchObject([{ kind: 'appended' }, { kind: 'appended' }]);
    expect([seen[0], seen.at(-1)]).toStrictEqual([0, 1]);
    expect((await ids()).toSorted()).toStrictEqual([1, 2]);
  });

  it('does not follow if kept outcomes must be read first', async () => {
    const { network, log, ids } = await given();
    const links = new Set<number>();
    network.fromServer = (_, { number }) => {
      links.add(number);
      return 'pass';
    };
    const [first, second] = await Promise.all([
      log.append(0, place(1)),
      log.append(
        0,
        (newer, kept) => {
          expect(kept.recall(KEPT.by, KEPT.key)).toBeUndefined();
          return place(2 + newer.length)();
        },
        [KEPT],
      ),
    ]);
    expect([first?.kind, second?.kind]).toStrictEqual(['appended', 'appended']);
    expect([
      [1, 3],
      [2, 1],
    ]).toContainEqual(await ids());
    expect(links.size).toBe(2);
  });
});

describe('a connection that is lost with two appends under way', () => {
  it('is no loss if both have arrived', async () => {
    const { network, log, beside, ids } = await given();
    network.fromServer = () => 'drop';
    const both = Promise.all([log.append(0, place(1)), log.append(1, place(2))]);
    while ((await beside.head()) < 2);
    network.fromServer = () => 'pass';
    network.cutAll();
    expect(await both).toMatchObject([
      { kind: 'appended', events: [{ position: 1 }] },
      { kind: 'appended', events: [{ position: 2 }] },
    ]);
    expect(await ids()).toStrictEqual([1, 2]);
    expect(await log.append(2, place(3))).toMatchObject({ kind: 'appended' });
  });

  it('has unknown outcomes for both if none has arrived', async () => {
    const { network, log, ids } = await given(300);
    onWrites(network, (number) => (number === 1 ? 'cut' : 'pass'));
    const results = await Promise.all([log.append(0, place(1)), log.append(1, place(2))]);
    // It might still arrive, and then the other one might as well.
    expect(results).toMatchObject([{ kind: 'unknown' }, { kind: 'unknown' }]);
    expect(await ids()).toStrictEqual([]);
    expect(await log.append(0, place(1))).toMatchObject({ kind: 'appended' });
  });

  it('has an unknown outcome for the second if only the first has arrived', async () => {
    const { network, log, beside, ids } = await given(5_000);
    network.fromServer = () => 'drop';
    const writes = onWrites(network, async (number) => {
      if (number === 1) return 'pass';
      while ((await beside.head()) < 1);
      network.fromServer = () => 'pass';
      return number === 2 ? 'cut' : 'pass';
    });
    const first = log.append(0, place(1));
    await writes.seen(1);
    const second = log.append(1, place(2));
    expect(await first).toMatchObject({ kind: 'appended', events: [{ position: 1 }] });
    expect(await second).toMatchObject({ kind: 'unknown' });
    expect(await ids()).toStrictEqual([1]);
  });
});
