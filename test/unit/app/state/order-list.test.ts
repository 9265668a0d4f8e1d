import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RecordedEvent } from '../../../../src/app/log/recorded-event.ts';
import { OrderImage } from '../../../../src/app/state/order-image.ts';
import { OrderList, type OrderView } from '../../../../src/app/state/order-list.ts';
import type { Instant } from '../../../../src/domain/instant.ts';
import type { OrderEvent } from '../../../../src/domain/order.ts';
import type { OrderId, PetId } from '../../../../src/domain/order-id.ts';
import {
  cancelled,
  LATER,
  NOON,
  placed,
  recorded,
  secondsApart,
  shipped,
} from '../../../support/events.ts';
import { manyIds } from '../../../support/many-ids.ts';
import { histories, naiveOrders } from '../../../support/naive-orders.ts';
import { isNightly, runs } from '../../../support/nightly.ts';
import { Random } from '../../../support/random.ts';

/** What version 1 shows of an order: neither its times nor whether it was cancelled. */
type Shown = Omit<OrderView, 'status'> & { readonly complete: boolean };

const encode = (orders: readonly OrderView[]): readonly Shown[] => {
  return orders.map(({ id, petId, quantity, shipDate, status }) => {
    return { id, petId, quantity, shipDate, complete: status === 'shipped' };
  });
};

/** The types of events that {@link encode} shows nothing of. */
const NOT_SHOWN = ['OrderCancelled'] as const;
/** The earlier positions at which a long history is compared. */
const CUTS = isNightly ? 3 : 1;

function listOf(events: Iterable<RecordedEvent>): OrderList<readonly Shown[]> {
  const list = new OrderList(encode, undefined, NOT_SHOWN);
  for (const event of events) list.fold(event);
  return list;
}

/**
 * Orders for three segments of each column, half of which ended, in an order of their own. From stretch
 * to stretch ids, dates and quantities are close together or far apart.
 */
function longHistory(random: Random): RecordedEvent[] {
  const events: OrderEvent[] = [];
  const pending: bigint[] = [];
  const used = new Set<bigint>();
  const date = (isFar: boolean) => {
    const ms = isFar ? random.below(250_000_000_000_000) : 1_780_000_000_000 + random.below(1e6);
    return new Date(ms).toISOString() as Instant;
  };
  for (let stretch = 0; stretch < 10; stretch += 1) {
    const [areIdsFar, areDatesFar, arePetsFar] = [0, 1, 2].map(() => random.below(2) === 1);
    for (let count = 0; count < 4_000; count += 1) {
      const far = BigInt.asIntN(64, BigInt(random.below(2 ** 32)) * 0x9e3779b97f4a7c15n);
      const id = areIdsFar ? far : BigInt(events.length);
      if (used.has(id)) continue;
      used.add(id);
      pending.push(id);
      const petId = (arePetsFar ? -far : BigInt(random.below(300))) as PetId;
      const quantity = 1 + random.below(arePetsFar ? 2_147_483_647 : 9);
      const isDated = random.below(4) > 0;
      const shipDate = isDated ? { shipDate: date(areDatesFar === true) } : {};
      events.push(placed(id, { petId, quantity, ...shipDate }));
      if (random.below(2) === 0) continue;
      const at = random.below(pending.length);
      const ended = pending[at] as bigint;
      pending[at] = pending.at(-1) as bigint;
      pending.pop();
      const isShipped = random.below(2) === 0;
      const reason = random.oneOf([undefined, 'duplicate', 'other'] as const);
      events.push(
        isShipped ? shipped(ended, date(areDatesFar === true)) : cancelled(ended, reason),
      );
    }
  }
  return secondsApart(recorded(...events));
}

describe('the list of orders', () => {
  it('is empty at first', () => {
    const list = new OrderList(encode, undefined, NOT_SHOWN);
    expect(list.encoded()).toStrictEqual({ position: 0, state: '0', chunks: [] });
    expect([list.size, list.position, list.get(1n as OrderId)]).toStrictEqual([0, 0, undefined]);
    expect(list.positionsOf(1n as OrderId)).toStrictEqual([]);
  });

  it('continues from a packed list as from its events, sharing nothing with it', () => {
    fc.assert(
      fc.property(histories, fc.nat(), (history, cut) => {
        const first = history.slice(0, cut % (history.length + 1));
        const list = listOf(first);
        const before = list.encoded();
        const packed = list.pack();
        const again = new OrderList(encode, packed, NOT_SHOWN);
        expect(again.encoded()).toStrictEqual(before);
        for (const event of history.slice(first.length)) again.fold(event);
        expect(again.encoded()).toStrictEqual(listOf(history).encoded());
        expect(list.pack()).toStrictEqual(listOf(first).pack());
      }),
    );
  });

  it('packs a copy of the states that shares nothing with it', () => {
    fc.assert(
      fc.property(histories, fc.nat(), (history, cut) => {
        const first = history.slice(0, cut % (history.length + 1));
        const list = listOf(first);
        const image = new OrderImage(list.image.pack());
        for (const event of history.slice(first.length)) image.fold(event);
        expect(image.pack()).toStrictEqual(listOf(history).image.pack());
        expect(list.image.pack()).toStrictEqual(listOf(first).image.pack());
      }),
    );
  });

  it('agrees with a sorted Map after any events', () => {
    fc.assert(
      fc.property(histories, (history) => {
        const list = listOf(history);
        const orders = naiveOrders(history);
        expect(list.encoded().chunks.flat()).toStrictEqual(encode(orders));
        expect(list.position).toBe(history.length);
        expect(list.size).toBe(orders.length);
        for (const view of orders) {
          expect(list.get(view.id)).toStrictEqual(view);
          const own = history.filter(({ event }) => event.orderId === view.id);
          expect(list.positionsOf(view.id)).toStrictEqual(own.map(({ position }) => position));
        }
      }),
      { numRuns: runs(300) },
    );
  });

  it('agrees with a Map over thousands of orders, with ids in any order', () => {
    fc.assert(
      fc.property(manyIds(3_000), (ids) => {
        const events = [
          ...ids.map((id, index) => placed(id, { quantity: index + 1 })),
          ...ids.filter((id) => id % 3n === 0n).map((id) => shipped(id, LATER)),
          ...ids.filter((id) => id % 3n === 1n).map((id) => cancelled(id)),
        ];
        const history = secondsApart(recorded(...events));
        const list = listOf(history);
        const orders = naiveOrders(history);
        expect(list.encoded().chunks.flat()).toStrictEqual(encode(orders));
        for (const view of orders) expect(list.get(view.id)).toStrictEqual(view);
      }),
      { numRuns: runs(8) },
    );
  });

  it('agrees with a Map over more orders than a segment holds, as of any position, with every width', () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const random = new Random(seed);
        const history = longHistory(random);
        const list = listOf(history);
        const again = new OrderList(encode, list.pack(), NOT_SHOWN);
        const cuts = [history.length, ...Array.from({ length: CUTS }, () => random.below(100_000))];
        for (const asOf of cuts.map((cut) => Math.min(cut, history.length))) {
          const orders = naiveOrders(history.slice(0, asOf));
          for (const each of [list, again]) {
            expect(each.sizeAt(asOf)).toBe(orders.length);
            const wrong = orders.find((order) => {
              const slot = each.image.slotOf(order.id);
              return !isDeepStrictEqual(each.details(slot, asOf), order);
            });
            expect(wrong && [wrong, each.details(each.image.slotOf(wrong.id), asOf)]).toBe(
              undefined,
            );
          }
        }
      }),
      { numRuns: isNightly ? 3 : 1 },
    );
  }, 60_000);

  it('never changes an encoded list that it has returned', () => {
    fc.assert(
      fc.property(histories, (history) => {
        const list = new OrderList(encode, undefined, NOT_SHOWN);
        const lists = history.map((event) => {
          list.fold(event);
          const encoded = list.encoded();
          return { encoded, copy: structuredClone(encoded) };
        });
        for (const { encoded, copy } of lists) expect(encoded).toStrictEqual(copy);
        expect(lists.map(({ encoded }) => encoded.position)).toStrictEqual(
          history.map(({ position }) => position),
        );
      }),
    );
  });

  it('returns the same encoded list until the next event', () => {
    const [first, second] = recorded(placed(1n), cancelled(1n)) as [RecordedEvent, RecordedEvent];
    const list = listOf([first]);
    const encoded = list.encoded();
    expect(list.encoded()).toBe(encoded);
    list.fold(second);
    expect(list.encoded()).not.toBe(encoded);
  });

  it('shows the date on which an order shipped instead of the expected one', () => {
    const list = listOf(recorded(placed(1n, { shipDate: LATER }), shipped(1n, NOON)));
    expect(list.get(1n as OrderId)).toMatchObject({ shipDate: NOON, status: 'shipped' });
  });

  it('keeps dates from the first to the last year exactly', () => {
    const dates = [
      '0000-01-01T00:00:00.000Z',
      '1969-12-31T23:59:59.999Z',
      '9999-12-31T23:59:59.999Z',
    ];
    const placements = dates.map((shipDate, id) => {
      return placed(BigInt(id), { shipDate: shipDate as Instant });
    });
    const shown = listOf(recorded(...placements))
      .encoded()
      .chunks.flat();
    expect(shown.map(({ shipDate }) => shipDate)).toStrictEqual(dates);
  });
});

describe('a long list that is encoded in turns', () => {
  const ids = Array.from({ length: 10_000 }, (_, index) => BigInt(index) * 2n);
  const history = recorded(...ids.map((id) => placed(id, { shipDate: LATER })));
  const position = history.length;

  /** Returns the events of a history behind a position, recorded at their positions. */
  const behind = (...events: readonly OrderEvent[]) => {
    return recorded(...ids.map((id) => placed(id)), ...events).slice(position);
  };

  it('is the list of one position, although the list changes in every turn', async () => {
    const list = listOf(history);
    const later = behind(
      ...ids.slice(0, 10).map((id) => shipped(id * 900n, NOON)),
      ...ids.slice(0, 10).map((id) => placed(id * 900n + 1n)),
      ...ids.slice(0, 10).map((id) => cancelled(id * 900n + 2n)),
    );
    let turns = 0;
    const encoded = await list.encodedInTurns(async () => {
      turns += 1;
      for (const event of later.splice(0, 10)) list.fold(event);
    });
    // Ten chunks, two in each turn; the last turn ends the work.
    expect(turns).toBe(4);
    expect(encoded).toStrictEqual(listOf(history).encoded());
    expect(list.position).toBe(position + 30);
    expect(list.encoded().chunks.flat()).toHaveLength(10_010);
    expect(list.get(0n as OrderId)).toMatchObject({ status: 'shipped', shipDate: NOON });
  });

  it('is encoded once for all callers, and at once if little has changed', async () => {
    let encoded = 0;
    const list = new OrderList((orders) => {
      encoded += 1;
      return orders.length;
    });
    for (const event of history) list.fold(event);
    const nextTurn = async () => undefined;
    const asked = [list.encodedInTurns(nextTurn), list.encodedInTurns(nextTurn)];
    const [first, second] = await Promise.all(asked);
    expect(second).toBe(first);
    expect(encoded).toBe(10);
    expect(await list.encodedInTurns(nextTurn)).toBe(first);
    for (const event of behind(shipped(0n))) list.fold(event);
    const never = () => Promise.reject(new Error('not needed'));
    expect((await list.encodedInTurns(never)).position).toBe(position + 1);
    expect(encoded).toBe(11);
    expect(await list.encodedInTurns(never)).toBe(list.encoded());
  });

  it('shows later callers every event recorded before their call', async () => {
    const list = listOf(history);
    let later: ReturnType<typeof list.encodedInTurns> | undefined;
    const first = await list.encodedInTurns(async () => {
      if (later !== undefined) return;
      for (const event of behind(...ids.slice(0, 9).map((id) => shipped(id * 1_000n)))) {
        list.fold(event);
      }
      later = list.encodedInTurns(async () => undefined);
    });
    expect(first.position).toBe(position);
    expect((await later)?.position).toBe(position + 9);
  });

  it('fails for its waiting callers, and not for the next', async () => {
    let fails = true;
    const list = new OrderList((orders) => {
      if (fails) throw new Error('no encoding');
      return orders.length;
    });
    for (const event of history) list.fold(event);
    const nextTurn = async () => undefined;
    await expect(list.encodedInTurns(nextTurn)).rejects.toThrow('no encoding');
    fails = false;
    expect((await list.encodedInTurns(nextTurn)).chunks).toHaveLength(10);
  });
});

describe('the pages of a long list', () => {
  const ids = Array.from({ length: 4_000 }, (_, index) => BigInt(index));
  const history = recorded(...ids.map((id) => placed(id)), cancelled(7n), shipped(8n));
  const cancellation = history[4_000] as RecordedEvent;
  const shipment = { ...(history[4_001] as RecordedEvent), position: 4_001 };

  it('are all kept when an order is cancelled, which version 1 does not show', () => {
    const list = listOf(history.slice(0, 4_000));
    const before = list.encoded();
    list.fold(cancellation);
    const after = list.encoded();
    expect(after.position).toBe(before.position + 1);
    expect(before.chunks).toHaveLength(4);
    for (const [index, page] of after.chunks.entries()) expect(page).toBe(before.chunks[index]);
  });

  it('are kept but for one when an order is cancelled, where that is shown', () => {
    const list = new OrderList((orders) => orders.map(({ id, status }) => ({ id, status })));
    for (const event of history.slice(0, 4_000)) list.fold(event);
    const before = list.encoded();
    list.fold(cancellation);
    const fresh = list.encoded().chunks.filter((page, index) => page !== before.chunks[index]);
    expect(fresh).toHaveLength(1);
    expect(fresh.flat()).toContainEqual({ id: 7n, status: 'cancelled' });
  });

  it('are kept but for one when an order is shipped', () => {
    const list = listOf(history.slice(0, 4_000));
    const before = list.encoded();
    list.fold(shipment);
    const fresh = list.encoded().chunks.filter((page, index) => page !== before.chunks[index]);
    expect(fresh).toHaveLength(1);
    expect(fresh.flat()).toContainEqual(expect.objectContaining({ id: 8n, complete: true }));
  });
});

describe('a log that does not add up stops the list', () => {
  it.each<[string, RecordedEvent[], string]>([
    ['a gap', recorded(placed(1n), placed(2n)).slice(1), 'position 2 does not follow position 0'],
    [
      'an event again',
      [...recorded(placed(1n)), ...recorded(placed(1n))],
      'position 1 does not follow position 1',
    ],
    ['an order placed twice', recorded(placed(5n), placed(5n)), 'order 5 was placed twice'],
    ['an unknown order shipped', recorded(shipped(5n)), 'OrderShipped of order 5, which was never'],
    ['one cancelled', recorded(cancelled(5n)), 'OrderCancelled of order 5, which was never placed'],
  ])('%s', (_, events, message) => {
    expect(() => listOf(events)).toThrow(message);
  });
});
