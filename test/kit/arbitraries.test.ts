import fc, { type Arbitrary } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { OrderList } from '../../src/app/state/order-list.ts';
import type { OrderEvent as ServiceEvent } from '../../src/domain/order.ts';
import { recorded } from '../support/events.ts';
import { runs } from '../support/nightly.ts';
import { fewIds, INT64_EDGES, instants, int64s, orders, quantities } from './arbitraries.ts';
import { illegalHistories, legalHistories } from './histories.ts';
import { brokenHistoryRule, HISTORY_RULES } from './oracle/history.ts';
import { wrongWithOrder } from './oracle/shapes.ts';
import type { Program } from './program.ts';
import { concurrentPrograms, programs } from './programs.ts';
import { MAX_INT64, MAX_QUANTITY, MIN_INT64, type Order } from './vocabulary.ts';

const SAMPLE_SEED = 20_260_101;

function sample<Item>(arbitrary: Arbitrary<Item>, numRuns = 1_000): readonly Item[] {
  return fc.sample(arbitrary, { seed: SAMPLE_SEED, numRuns });
}

describe('ids', () => {
  test('cover the whole range, and include every edge of it frequently', () => {
    const ids = sample(int64s, 2_000);
    for (const id of ids) expect(id >= MIN_INT64 && id <= MAX_INT64).toBe(true);
    for (const edge of INT64_EDGES)
      expect(ids.filter((id) => id === edge).length).toBeGreaterThan(5);
    const exact = ids.filter((id) => BigInt(Number(id)) === id).length;
    expect(ids.length - exact).toBeGreaterThan(ids.length / 4);
  });
});

test.each<[string, Arbitrary<unknown>, (value: never) => boolean, unknown]>([
  ['ids', int64s, (id: bigint) => id > -77n, -77n],
  ['ids above', int64s, (id: bigint) => id < 2n ** 40n, 2n ** 40n],
  ['few ids', fewIds, () => false, 0n],
  ['quantities', quantities, (quantity: number) => quantity < 500, 500],
  ['dates', instants, (date: string) => date < '1999', '1999-01-01T00:00:00.000Z'],
  [
    'orders',
    orders,
    ({ quantity }: Order) => quantity < 500,
    { id: 0n, petId: 0n, quantity: 500, complete: false },
  ],
])('%s shrink to the smallest that fails, from every edge', (_, values, holds, smallest) => {
  for (const seed of [1, 2, 3, 4, 5]) {
    const { counterexample } = fc.check(fc.property(values, holds as () => boolean), { seed });
    expect(counterexample).toEqual([smallest]);
  }
});

test('the edges of ids are the powers of two, negative ones too, with their neighbours', () => {
  for (const edge of [0n, 2n ** 31n, -(2n ** 31n), 2n ** 53n, -(2n ** 53n)]) {
    expect(INT64_EDGES).toEqual(expect.arrayContaining([edge - 1n, edge, edge + 1n]));
  }
});

describe('dates and quantities', () => {
  const steps = sample(programs()).flatMap((program) => program.steps);
  const dates = steps.flatMap((step) => ('shipDate' in step ? (step.shipDate ?? []) : []));
  const numbers = steps.flatMap((step) => (step.do === 'place' ? step.quantity : []));

  test.each<[string, (date: string) => boolean]>([
    ['have milliseconds', (date) => !date.endsWith('.000Z')],
    ['are before 1970', (date) => date < '1970'],
    ['are after 2038', (date) => date > '2039'],
    ['are a 29th of February', (date) => date.includes('-02-29T')],
  ])('of one in a hundred steps %s', (_, isSuch) => {
    expect(dates.filter(isSuch).length).toBeGreaterThan(dates.length / 100);
  });

  test.each<[string, (quantity: number) => boolean]>([
    ['are the highest one but one', (quantity) => quantity === MAX_QUANTITY - 1],
    ['are multiples of 1,000', (quantity) => quantity % 1_000 === 0],
    ['are multiples of 65,536', (quantity) => quantity % 65_536 === 0],
    ['are rounded in 32 bits', (quantity) => Math.fround(quantity) !== quantity],
  ])('of one in a hundred steps %s', (_, isSuch) => {
    expect(numbers.filter(isSuch).length).toBeGreaterThan(numbers.length / 100);
    expect(Math.max(...numbers)).toBe(MAX_QUANTITY);
    expect(Math.min(...numbers)).toBe(1);
  });
});

describe('orders', () => {
  test('are orders of version 1', () => {
    for (const { quantity, ...rest } of sample(orders)) {
      expect(wrongWithOrder({ ...rest, quantity: BigInt(quantity) })).toBeUndefined();
    }
  });
});

describe('histories', () => {
  test('the legal ones violate no rule, and the service can fold them', () => {
    for (const events of sample(legalHistories())) {
      expect(brokenHistoryRule(events)).toBeUndefined();
      const list = new OrderList(() => undefined);
      for (const event of recorded(...(events as readonly ServiceEvent[]))) list.fold(event);
    }
  });

  test('the illegal ones violate the stated rule at the stated event, and cover every rule', () => {
    const histories = sample(illegalHistories());
    for (const { events, rule, at } of histories) {
      expect(brokenHistoryRule(events)).toEqual({ rule, at });
      expect(brokenHistoryRule(events.slice(0, at))).toBeUndefined();
    }
    expect(new Set(histories.map(({ rule }) => rule))).toEqual(new Set(HISTORY_RULES));
  });

  test('the illegal ones violate each rule often, whatever the ids', () => {
    for (const histories of [sample(illegalHistories()), sample(illegalHistories(int64s))]) {
      for (const rule of HISTORY_RULES) {
        const share = histories.filter((history) => history.rule === rule).length;
        expect(share).toBeGreaterThan(histories.length / 9);
      }
    }
  });

  test("the service's list refuses orders that were never placed or placed twice", () => {
    const refused = HISTORY_RULES.slice(0, 2) as readonly string[];
    for (const { events, rule, at } of sample(illegalHistories())) {
      if (!refused.includes(rule)) continue;
      const list = new OrderList(() => undefined);
      const upToIt = recorded(...(events.slice(0, at + 1) as unknown as readonly ServiceEvent[]));
      expect(() => upToIt.map((event) => list.fold(event))).toThrow(/never placed|placed twice/);
    }
  });

  test('they shrink to the shortest history that violates the rule', () => {
    const fewest = HISTORY_RULES.map((rule) => {
      const found = fc.check(
        fc.property(illegalHistories(), (history) => history.rule !== rule),
        { seed: SAMPLE_SEED, numRuns: 5_000 },
      );
      return found.counterexample?.[0].events.length;
    });
    expect(fewest).toEqual([1, 2, 3, 3, 3, 3]);
  });
});

describe('programs', () => {
  const isSound = ({ ids, steps }: Pick<Program, 'ids' | 'steps'>) =>
    steps.every((step) => !('order' in step) || step.order < ids.length);

  test('name only orders with an id, and contain only the requested kinds of steps', () => {
    for (const program of sample(programs({ does: ['place', 'cancel'], maxSteps: 9 }))) {
      expect(isSound(program)).toBe(true);
      expect(program.steps.length).toBeLessThanOrEqual(9);
      for (const step of program.steps) expect(['place', 'cancel']).toContain(step.do);
    }
  });

  test('have a dozen orders at times, unless fewer are wanted', () => {
    const most = (options = {}) => {
      return Math.max(...sample(programs(options)).map(({ ids }) => ids.length));
    };
    expect(most()).toBe(12);
    expect(most({ maxSteps: 7 })).toBe(7);
    expect(most({ maxOrders: 2 })).toBe(2);
    expect(most({ does: ['cancel', 'list'] })).toBe(3);
  });

  test('concurrent clients name the same orders', () => {
    const several = sample(concurrentPrograms({ maxClients: 4 }));
    for (const { ids, clients } of several) {
      for (const steps of clients) expect(isSound({ ids, steps })).toBe(true);
    }
    expect(Math.max(...several.map(({ clients }) => clients.length))).toBe(4);
  });

  test('every shrunk program is valid, and shrinking terminates', () => {
    for (const program of sample(programs(), runs(30))) {
      let current: Program | undefined = program;
      for (let rounds = 0; current !== undefined; rounds++) {
        expect(rounds).toBeLessThan(500);
        const simpler: Program[] = [...programs().shrink(current, undefined)].map(
          ({ value }) => value,
        );
        for (const each of simpler) expect(isSound(each)).toBe(true);
        // The last candidate is the smallest change.
        current = simpler.at(-1);
      }
    }
  });

  test('shrinking ends, with their numbers as ids, where a dozen orders have to stay', () => {
    const [program] = sample(programs()).filter(({ ids }) => ids.length === 12);
    let current = program as Program;
    for (let rounds = 0; ; rounds++) {
      expect(rounds).toBeLessThan(2_000);
      const simpler = [...programs().shrink(current, undefined)];
      const next = simpler.find(({ value: { ids, steps } }) => {
        return ids.length === 12 && steps.length >= 12;
      });
      if (next === undefined) break;
      current = next.value;
    }
    expect(current.ids).toEqual(Array.from({ length: 12 }, (_, index) => BigInt(index + 1)));
  });
});
