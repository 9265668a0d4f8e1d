import fc from 'fast-check';
import { expect, test } from 'vitest';
import { evaluated } from '../../support/evaluated.ts';
import type { Decider } from './domain.ts';
import { kitFor } from './kit.ts';
import { RULES } from './run.ts';
import { asExpression, asText, isSame } from './text.ts';

/** Values whose content is private or named by symbols: they are compared by it, and not taken for equal. */

class Balance {
  readonly #cents: unknown;
  constructor(cents: unknown) {
    this.#cents = cents;
  }
  get cents() {
    return this.#cents;
  }
}
class Dollars extends Balance {
  get currency() {
    return 'USD';
  }
}
class Closed {
  get isOpen() {
    return false;
  }
}
class Overdraft {
  get cents(): number {
    throw new RangeError('there is none');
  }
}
const CENTS = Symbol('cents');

test('values with other private content, or other members named by symbols, differ', () => {
  const different = [
    ...[{}, new Closed(), new Balance(1), new Balance(2), new Dollars(1), new Dollars(2)],
    ...[{ [CENTS]: 1 }, { [CENTS]: 2 }, { [Symbol.for('cents')]: 1 }, { cents: 1 }],
    ...[Object.assign([1], { [CENTS]: 1 }), [1], new Balance(new Balance(1))],
  ];
  expect(new Set(different.map(asText)).size).toBe(different.length);
  expect(new Set(different.map(asExpression)).size).toBe(different.length);
  expect(isSame(new Dollars(1), new Dollars(1))).toBe(true);
  expect(isSame(new Closed(), new Closed())).toBe(true);
  expect(isSame({ [CENTS]: 1, a: 1 }, { a: 1, [CENTS]: 1 })).toBe(true);
  expect(asText(new Dollars(1))).toBe('new Dollars({"cents": 1, "currency": "USD"})');
  const value = { a: 1, [CENTS]: [2], [Symbol.for('cents')]: 3 };
  expect(asText(evaluated(asText(value)))).toBe(asText(value));
});

test('methods that symbols name are no content, and accessors are read only if nothing else is there', () => {
  const iterable = { *[Symbol.iterator]() {}, items: [1], [Symbol('none')]: undefined };
  expect(isSame(iterable, { items: [1] })).toBe(true);
  const visible = Object.assign(new Overdraft(), { limit: 1 });
  expect(asText(visible)).toBe('Overdraft {"limit": 1}');
  expect(asText(new Overdraft())).toBe('new Overdraft({})');
});

interface Paid {
  readonly money: Balance;
}
const model: Decider<number, Paid, Paid> = {
  initial: 0,
  decide: ({ money }) => ({ kind: 'accepted', events: [{ money }] }),
  evolve: (sum, { money }) => sum + Number(money.cents),
};
const payments = fc.nat(9).map((cents) => ({ money: new Balance(cents + 1) }));
const wallets = kitFor<number, Paid, Paid>({
  ...{ name: 'wallet', model, commands: payments, events: payments, causeOf: (event) => event },
});

test('a decider and a store that change private content are found, and right ones are not', async () => {
  await wallets.assertDecides(model);
  const doubled = ({ money }: Paid) => ({ money: new Balance(Number(money.cents) * 2) });
  const decide = (command: Paid) => model.decide(doubled(command), 0);
  const run = wallets.assertDecides({ ...model, decide });
  await expect(run).rejects.toMatchObject({ rule: RULES.recorded });
  await wallets.assertEventStore(store((event) => event));
  await expect(wallets.assertEventStore(store(doubled))).rejects.toThrow('new Balance({"cents": ');
});

/** @param kept Returns an event as it is stored. */
function store(kept: (event: Paid) => Paid) {
  return async () => {
    const streams = new Map<string, readonly Paid[]>();
    const read = async (stream: string) => streams.get(stream) ?? [];
    return {
      read,
      async append(stream: string, expected: number, events: readonly Paid[]) {
        const before = streams.get(stream) ?? [];
        if (before.length !== expected) return { kind: 'conflict' } as const;
        streams.set(stream, [...before, ...events.map(kept)]);
        return { kind: 'appended', version: expected + events.length } as const;
      },
    };
  };
}
