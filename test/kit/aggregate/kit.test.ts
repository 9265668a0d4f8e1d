import { isDeepStrictEqual } from 'node:util';
import vm from 'node:vm';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { order } from '../../../src/domain/order.ts';
import { evaluated } from '../../support/evaluated.ts';
import { brokenHistoryRule } from '../oracle/history.ts';
import { ORDERS_WITH_REASONS as ORDERS } from '../orders.ts';
import {
  type Command,
  type Copy,
  copy,
  type Event,
  Library,
  MemoryEvents,
} from '../starter/library.ts';
import { LOANS } from '../starter/loans.ts';
import type { Decider } from './domain.ts';
import { HISTORY_RULES } from './histories.ts';
import { type CheckOptions, kitFor } from './kit.ts';
import { RULES } from './run.ts';
import { deciderTarget, type Session, type Target } from './target.ts';
import { apart, asExpression, asText, isSame, notDue } from './text.ts';

/** The kit for any aggregate, on two of them: orders, and loans of books. */

const loans = kitFor(LOANS);
const orders = kitFor(ORDERS);

/** A decider of loans with a fault. */
function faulty(
  fault: (
    command: Command,
    state: Copy,
    right: ReturnType<typeof copy.decide>,
  ) => ReturnType<typeof copy.decide> | undefined,
): Decider<Copy, Command, Event> {
  return {
    ...copy,
    decide(command, state) {
      const right = copy.decide(command, state);
      return fault(command, state, right) ?? right;
    },
  };
}

const lent = (to: string): ReturnType<typeof copy.decide> => ({
  kind: 'accepted',
  events: [{ type: 'Lent', to }],
});

describe('A check of a decider', () => {
  test('finds nothing in a correct one, of loans and of orders', async () => {
    await loans.assertDecides(copy, { runs: 2_000 });
    await orders.assertDecides(order as never, { runs: 2_000 });
  });

  test.each([
    {
      fault: 'a lent copy is lent again',
      decider: faulty((command) => (command.type === 'Lend' ? lent(command.to) : undefined)),
      steps: 2,
    },
    {
      fault: 'a reservation is ignored',
      decider: faulty((command, { lentTo }) =>
        command.type === 'Lend' && lentTo === undefined ? lent(command.to) : undefined,
      ),
      steps: 2,
    },
    {
      fault: 'a return ends the reservation',
      decider: {
        ...copy,
        evolve: (state: Copy, event: Event) =>
          event.type === 'Returned' ? {} : copy.evolve(state, event),
      },
      steps: 4,
    },
  ])('finds that $fault, in $steps steps', async ({ decider, steps }) => {
    for (const seed of [1, 2, 3, 4, 5]) {
      const { counterexample } = await loans.check(deciderTarget('faulty', decider), {
        runs: 1_000,
        seed,
      });
      expect(counterexample?.program.steps).toHaveLength(steps);
      expect([RULES.answer, RULES.recorded]).toContain(counterexample?.rule);
      // One copy is enough for each of these faults, and it is called A.
      expect(new Set(counterexample?.program.steps.map((step) => 'on' in step && step.on))).toEqual(
        new Set([0]),
      );
    }
  });

  test('shows the shortest program in words, and repeats it', async () => {
    const decider = faulty((command) => (command.type === 'Lend' ? lent(command.to) : undefined));
    const target = deciderTarget('faulty', decider);
    const { counterexample, seed } = await loans.check(target, { seed: 7 });
    expect(counterexample?.script.split('\n').slice(3)).toEqual([
      expect.stringMatching(/^A: lend to \w+ {2}# accepted$/),
      expect.stringMatching(/^A: lend to \w+ {2}# (accepted|refused as lent_already)$/),
      '',
    ]);
    const again = await loans.check(target, { seed, path: counterexample?.path ?? '', runs: 1 });
    expect(again.counterexample?.script).toBe(counterexample?.script);
    await expect(loans.assertHolds(target, { seed: 7 })).rejects.toThrow('faulty:\n# Broken');
  });

  test('shows a program as options that run it again, where they are pasted', async () => {
    const decider = faulty((command) => (command.type === 'Lend' ? lent(command.to) : undefined));
    const target = deciderTarget('faulty', decider);
    const { counterexample } = await loans.check(target, { seed: 7 });
    const options = evaluated(counterexample?.replay ?? '') as CheckOptions<Command>;
    const again = await loans.check(target, options);
    expect(again.counterexample?.program).toEqual(counterexample?.program);
    expect(again.counterexample?.path).toBe('0');
    await expect(loans.assertHolds(target, { seed: 7 })).rejects.toThrow(
      `To run it again, pass these options to the same call:\n${counterexample?.replay}`,
    );
    expect((await loans.check(deciderTarget('right', LOANS.model), options)).runs).toBe(1);
  });

  test('shrinks values by the order of the domain', async () => {
    const target: Target<Parameters<typeof order.decide>[0], never> = {
      name: 'never places',
      open: () => ({ perform: () => ({ kind: 'rejected', reason: 'order_exists' }) }),
    };
    const { counterexample } = await orders.check(target as never, { seed: 1 });
    expect(counterexample?.program.steps).toHaveLength(1);
    const [step] = counterexample?.program.steps ?? [];
    expect(step).toMatchObject({ on: 0 });
  });
});

/** The application of loans, with a fault of the session. */
function library(
  fault: (session: Session<Command, Event>, app: Library) => Partial<Session<Command, Event>>,
): Target<Command, Event> {
  return {
    name: 'faulty',
    open() {
      const app = new Library(new MemoryEvents());
      const session: Session<Command, Event> = {
        perform: ({ id, command, commandId }) => app.perform(id, command, commandId),
        view: (id) => app.copy(id),
        events: (id) => app.events(id),
        isIdempotent: true,
      };
      return { ...session, ...fault(session, app) };
    },
  };
}

describe('A check of an application', () => {
  test('finds nothing in a correct one, and steps that it does not support are left out', async () => {
    const { steps } = await loans.assertHolds(
      library(() => ({})),
      { runs: 300 },
    );
    expect(steps).toBeGreaterThan(300);
    const does = ['restart'] as const;
    expect(
      await loans.check(
        library(() => ({})),
        { does },
      ),
    ).toMatchObject({ steps: 0 });
  });

  test.each<[string, string, Parameters<typeof library>[0]]>([
    [RULES.view, 'an old view', () => ({ view: () => ({}) })],
    [RULES.recorded, 'no events', () => ({ events: () => [] })],
    [
      RULES.recorded,
      'a wrong version',
      ({ perform }) => ({
        perform: async (request) => ({ ...(await perform(request)), version: 9 }),
      }),
    ],
    [
      RULES.repeat,
      'a command that is done again',
      (_, app) => {
        let sent = 0;
        return { perform: ({ id, command }) => app.perform(id, command, `${++sent}`) };
      },
    ],
    [
      RULES.repeat,
      'a repeated command with another version',
      ({ perform }) => {
        const versions = new Map<string, number>();
        const repeated = new Set<string>();
        return {
          async perform(request) {
            const told = await perform(request);
            if (told.kind === 'rejected') return told;
            const isRepeated = repeated.has(request.commandId);
            repeated.add(request.commandId);
            const before = versions.get(request.id) ?? 0;
            if (isRepeated) return { ...told, version: before + 1 };
            versions.set(request.id, before + (told.events?.length ?? 0));
            return { ...told, version: versions.get(request.id) ?? 0 };
          },
        };
      },
    ],
    [
      RULES.repeat,
      'a repeated command with other events',
      ({ perform }) => {
        const repeated = new Set<string>();
        return {
          async perform(request) {
            const told = await perform(request);
            const isRepeated = repeated.has(request.commandId);
            repeated.add(request.commandId);
            if (told.kind === 'rejected' || !isRepeated) return told;
            return { ...told, events: [{ type: 'Returned' }, { type: 'Returned' }] };
          },
        };
      },
    ],
    [
      'nothing fails',
      'a command that throws',
      () => ({ perform: () => Promise.reject(new Error('down')) }),
    ],
  ])('finds a break of "%s": %s', async (rule, _, fault) => {
    const { counterexample } = await loans.check(library(fault), { seed: 1 });
    expect(counterexample?.rule).toBe(rule);
  });

  test('finds that a restart forgets, and that a correct one does not', async () => {
    const sessions = (isForgetful: boolean): Target<Command, Event> => ({
      name: 'restarted',
      open() {
        let session = deciderTarget('decider', copy).open() as Session<Command, Event>;
        return {
          perform: (request) => session.perform(request),
          events: (id) => session.events?.(id) ?? [],
          restart: async () => {
            if (isForgetful) session = deciderTarget('decider', copy).open() as typeof session;
          },
        };
      },
    });
    const does = ['command', 'restart'] as const;
    await loans.assertHolds(sessions(false), { does });
    const { counterexample } = await loans.check(sessions(true), { does, seed: 1 });
    expect(counterexample?.rule).toBe(RULES.restart);
    expect(counterexample?.program.steps.map((step) => step.do)).toEqual(['command', 'restart']);
  });
});

describe('Histories', () => {
  test('are legal or illegal by the model, with the rule and the place', () => {
    fc.assert(
      fc.property(loans.legalHistories(), (events) => loans.brokenRule(events) === undefined),
    );
    fc.assert(
      fc.property(loans.illegalHistories(), ({ events, rule, at }) => {
        expect(loans.brokenRule(events)).toEqual({ rule, at });
        expect(loans.brokenRule(events.slice(0, at))).toBeUndefined();
      }),
    );
  });

  test('are legal or illegal also if a command records several events', () => {
    // A withdrawal of the whole balance is recorded with the event that the account is empty.
    type Amount = { readonly type: 'deposit' | 'withdraw'; readonly amount: number };
    const amounts = fc.constantFrom(1, 2);
    const accounts = kitFor<number, Amount, Amount | { readonly type: 'emptied' }>({
      name: 'account',
      model: {
        initial: 0,
        decide(command, balance) {
          if (command.type === 'deposit') return { kind: 'accepted', events: [command] };
          if (command.amount > balance) return { kind: 'rejected', reason: 'too_little' };
          const emptied = command.amount === balance ? [{ type: 'emptied' } as const] : [];
          return { kind: 'accepted', events: [command, ...emptied] };
        },
        evolve(balance, event) {
          if (event.type === 'emptied') return balance;
          return event.type === 'deposit' ? balance + event.amount : balance - event.amount;
        },
      },
      commands: fc.record({ type: fc.constantFrom('deposit', 'withdraw'), amount: amounts }),
      events: fc.oneof(
        fc.record({ type: fc.constantFrom('deposit', 'withdraw'), amount: amounts }),
        fc.constant({ type: 'emptied' } as const),
      ),
      causeOf: (event) => (event.type === 'emptied' ? { type: 'withdraw', amount: 1 } : event),
    });
    const seed = 1;
    for (const events of fc.sample(accounts.legalHistories(), { seed, numRuns: 500 })) {
      expect(accounts.brokenRule(events)).toBeUndefined();
    }
    const rules = new Map<string, number>();
    for (const history of fc.sample(accounts.illegalHistories(), { seed, numRuns: 2_000 })) {
      const { events, rule, at } = history;
      expect(accounts.brokenRule(events)).toEqual({ rule, at });
      rules.set(rule, (rules.get(rule) ?? 0) + 1);
    }
    // Each rule is still broken often enough to be tested.
    expect([...rules.keys()].sort()).toEqual(
      ['too_little', ...Object.values(HISTORY_RULES)].sort(),
    );
    expect(Math.min(...rules.values())).toBeGreaterThan(50);
  });

  test('of orders are judged as by the rules of orders', () => {
    fc.assert(
      fc.property(fc.array(ORDERS.events, { maxLength: 4 }), (events) => {
        expect(orders.brokenRule(events)?.at).toBe(brokenHistoryRule(events)?.at);
      }),
      { numRuns: 2_000 },
    );
  });

  test('with events that nobody asks for, or a command recorded in part, are illegal', () => {
    expect(
      loans.brokenRule([
        { type: 'Reserved', by: 'ann' },
        { type: 'Reserved', by: 'ann' },
      ]),
    ).toEqual({
      rule: HISTORY_RULES.change,
      at: 1,
    });
    const pairs = kitFor<number, 'add', 'first' | 'second'>({
      name: 'pair',
      model: {
        initial: 0,
        decide: () => ({ kind: 'accepted', events: ['first', 'second'] }),
        evolve: (state) => state + 1,
      },
      commands: fc.constant('add'),
      events: fc.constantFrom('first', 'second'),
      causeOf: () => 'add',
    });
    expect(pairs.brokenRule(['first', 'second', 'first', 'second'])).toBeUndefined();
    expect(pairs.brokenRule(['first', 'first'])).toEqual({ rule: HISTORY_RULES.whole, at: 1 });
    expect(pairs.brokenRule(['first'])).toEqual({ rule: HISTORY_RULES.whole, at: 0 });
  });
});

describe('Given, when, then', () => {
  const onLoan = loans.given(copy, { type: 'Lent', to: 'ann' });

  test('passes for the decision described', () => {
    onLoan.when({ type: 'Return' }).thenRecorded({ type: 'Returned' });
    onLoan.when({ type: 'Lend', to: 'ann' }).thenNothing();
    onLoan.when({ type: 'Lend', to: 'ben' }).thenRejected('lent_already');
  });

  test('throws for every other one, in words', () => {
    const returned = onLoan.when({ type: 'Return' });
    expect(() => returned.thenNothing()).toThrow(
      'given [{"to": "ann", "type": "Lent"}]\nwhen {"type": "Return"}\nthen {"events": [], "kind": "accepted"}\nbut it is',
    );
    expect(() => returned.thenRejected('not_lent')).toThrow('but it is');
    expect(() => returned.thenRecorded({ type: 'Lent', to: 'ann' })).toThrow('but it is');
  });
});

test('Texts of values are equal exactly for equal values', () => {
  // Members that are undefined count as absent.
  const normal = (value: unknown) => JSON.stringify(value);
  const values = fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)) as unknown);
  fc.assert(
    fc.property(values, values, (one, other) => {
      expect(isSame(one, structuredClone(one))).toBe(true);
      const isEqual = isDeepEqual(one, other);
      expect(isSame(one, other)).toBe(isEqual);
      if (isEqual) expect(normal(one)).toHaveLength(normal(other).length);
    }),
  );
  expect(
    [
      1n,
      1,
      '1',
      -0,
      0,
      Number.NaN,
      null,
      undefined,
      new Date(5),
      new Map([[1, 2]]),
      new Set([1]),
      { a: undefined },
      ['a'],
      [undefined],
    ].map(asText),
  ).toEqual([
    '1n',
    '1',
    '"1"',
    '-0',
    '0',
    'NaN',
    'null',
    'undefined',
    'new Date(5)',
    'new Map([[1, 2]])',
    'new Set([1])',
    '{}',
    '["a"]',
    '[undefined]',
  ]);
});

test('the text of a value is an expression that makes it again', () => {
  const values = fc.anything({
    ...{ withBigInt: true, withDate: true, withMap: true, withSet: true },
    ...{ withTypedArray: true, withSparseArray: true, withNullPrototype: true },
  });
  fc.assert(
    fc.property(values, (value) => {
      expect(asText(evaluated(asText(value)))).toBe(asText(value));
      const again = evaluated(asExpression(value));
      expect(isDeepStrictEqual(again, value)).toBe(true);
      // Equal Maps may have their items in another order, and equal objects their members.
      expect(asExpression(again)).toBe(asExpression(value));
      expect(asText(again)).toBe(asText(value));
    }),
  );
  expect(evaluated(asText({ ['__proto__']: 1n }))).toStrictEqual({ ['__proto__']: 1n });
});

test('the replay of a counterexample has exactly its commands', async () => {
  const seen = (command: Command) => isDeepStrictEqual(command, EXACT);
  const EXACT = {
    ...{ type: 'Return' as const, note: undefined, at: -0, of: Number.NaN, big: 1n },
    ...{
      items: evaluated('[1, , 3, ,]'),
      due: new Date(0),
      known: new Map([
        ['b', 1],
        ['a', 2],
      ]),
    },
  };
  const target: Target<Command, Event> = {
    name: 'exact',
    open: () => ({
      perform({ command }) {
        if (seen(command)) throw new Error('it is here');
        return { kind: 'rejected', reason: 'not_lent' };
      },
    }),
  };
  const programs = [{ steps: [{ do: 'command', on: 0, command: EXACT }] }] as const;
  const { counterexample } = await loans.check(target, { programs });
  expect(counterexample?.detail).toBe('it is here');
  const options = evaluated(counterexample?.replay ?? '') as CheckOptions<Command>;
  const again = await loans.check(target, options);
  expect(again.counterexample?.detail).toBe('it is here');
});

class Deposited {
  readonly amount: unknown;
  constructor(amount: unknown) {
    this.amount = amount;
  }
}
class Withdrawn extends Deposited {}
class Closed {}
class Money {
  readonly #cents: number;
  constructor(cents: number) {
    this.#cents = cents;
  }
  toJSON() {
    return this.#cents;
  }
}

class Batch extends Array<unknown> {}
class Ledger extends Map<unknown, unknown> {
  owner = '';
}
class Due extends Date {}

test('values of different classes, or with different contents, have different texts', () => {
  const different = [
    { amount: 1 },
    new Deposited(1),
    new Withdrawn(1),
    new Deposited(2),
    new Deposited(new Deposited(1)),
    {},
    new Closed(),
    new Money(1),
    new Money(2),
    1,
    new URL('http://127.0.0.1/1'),
    new URL('http://127.0.0.1/2'),
    Uint8Array.of(1, 2),
    Uint8Array.of(1, 3),
    Int8Array.of(1, 2),
    Buffer.of(1, 2),
    [1, 2],
    { 0: 1, 1: 2 },
    new Set([1, 2]),
    new Map([[1, 2]]),
    new Date(1),
    new Date(Number.NaN),
    Batch.from([1, 2]),
    Object.assign(Batch.from([1, 2]), { owner: 'ann' }),
    Object.assign([1, 2], { owner: 'ann' }),
    new Ledger([[1, 2]]),
    Object.assign(new Ledger([[1, 2]]), { owner: 'ann' }),
    new Due(1),
    Object.assign(new Due(1), { owner: 'ann' }),
    Object.assign(new Date(1), { owner: 'ann' }),
  ];
  expect(new Set(different.map(asText)).size).toBe(different.length);
  expect(new Set(different.map(asExpression)).size).toBe(different.length);
  expect(asText(new Deposited(1))).toBe('Deposited {"amount": 1}');
  Object.assign(globalThis, { Deposited, Batch, Ledger });
  for (const value of [Batch.from([1]), Object.assign(new Ledger([[1, 2]]), { owner: 'ann' })]) {
    expect(evaluated(asExpression(value))).toStrictEqual(value);
  }
  expect(evaluated(asExpression(new Deposited(1)))).toStrictEqual(new Deposited(1));
});

test('a Map and a Set have no order, and values of another realm are like those of this one', () => {
  expect(isSame(new Set([1, 2]), new Set([2, 1]))).toBe(true);
  const map = new Map([[{ b: 1, a: 2 }, 'x']]).set({ a: 1, b: 1 }, 'y');
  const other = new Map([[{ b: 1, a: 1 }, 'y']]).set({ a: 2, b: 1 }, 'x');
  expect(isSame(map, other)).toBe(true);
  const foreign = vm.runInNewContext('({ a: [new Date(1), new Map([[1, { b: 2n }]])] })');
  expect(isSame(foreign, { a: [new Date(1), new Map([[1, { b: 2n }]])] })).toBe(true);
  expect(isSame(Object.create(null, { a: { value: 1, enumerable: true } }), { a: 1 })).toBe(true);
});

test('a value whose content cannot be seen is refused: it would equal every other one', () => {
  const circular: Record<string, unknown> = {};
  circular.self = [circular];
  const opaque = [() => 1, Symbol('a'), Promise.resolve(), new WeakMap(), /a/, new Error('a')];
  for (const value of [...opaque, circular, Object(5), new ArrayBuffer(1)]) {
    expect(() => isSame({ value }, { value })).toThrow('must be plain values');
  }
});

function isDeepEqual(one: unknown, other: unknown): boolean {
  try {
    expect(one).toStrictEqual(other);
    return true;
  } catch {
    return false;
  }
}

test('Commands that look alike are shown in a form in which they differ', async () => {
  type Opened = { readonly name: string };
  const opening: Decider<readonly string[], Opened, Opened> = {
    initial: [],
    decide: ({ name }, names) =>
      names.includes(name)
        ? { kind: 'rejected', reason: 'taken' }
        : { kind: 'accepted', events: [{ name }] },
    evolve: (names, { name }) => [...names, name],
  };
  const names = kitFor<readonly string[], Opened, Opened>({
    name: 'shelf',
    model: opening,
    commands: fc.record({ name: fc.constantFrom('\u00e9', 'e\u0301') }),
    events: fc.record({ name: fc.constantFrom('\u00e9', 'e\u0301') }),
    causeOf: ({ name }) => ({ name }),
  });
  const composing: typeof opening = {
    ...opening,
    decide: ({ name }, taken) =>
      opening.decide(
        { name },
        taken.some((each) => each.normalize() === name.normalize()) ? [name] : [],
      ),
  };
  const { counterexample } = await names.check(deciderTarget('names by their look', composing));
  const lines = counterexample?.script.split('\n').filter((line) => line.startsWith('A:'));
  expect(lines).toHaveLength(2);
  expect(lines?.join('\n')).toMatch(/"\\u00e9"/);
  expect(lines?.join('\n')).toMatch(/"e\\u0301"/);
});

test('Texts that look alike are shown in a form in which they differ', () => {
  for (const [one, other, shown] of [
    ['a', 'b', ['a', 'b']],
    ['an answer', 'an answer ', ['an answer', 'an answer\\u0020']],
    ['a\n', 'a', ['a\\u000a', 'a']],
    ['a b', 'a\u00a0b', ['a b', 'a\\u00a0b']],
    ['a b', 'a  b', ['a b', 'a\\u0020 b']],
    ['\u00e9', 'e\u0301', ['\\u00e9', 'e\\u0301']],
    ['A', '\uff21', ['A', '\\uff21']],
    ['x\u00e9', 'x\u200b\u00e9', ['x\\u00e9', 'x\\u200b\\u00e9']],
    ['\u0430', '\u0251', ['\\u0430', '\\u0251']],
  ] as const) {
    expect(apart(one, other)).toEqual(shown);
    expect(notDue(one, other)).toBe(`${shown[0]}, and should be ${shown[1]}`);
  }
});

test('A view that differs in an invisible character is shown as such', async () => {
  const invisible: Target<Command, Event> = {
    name: 'invisible',
    open() {
      const app = new Library(new MemoryEvents());
      return {
        perform: ({ id, command, commandId }) => app.perform(id, command, commandId),
        view: async (id) => {
          const seen = await app.copy(id);
          return seen.lentTo === undefined ? seen : { ...seen, lentTo: `${seen.lentTo}\u200b` };
        },
      };
    },
  };
  const { counterexample } = await loans.check(invisible, { seed: 1 });
  expect(counterexample?.detail).toContain('\\u200b');
});
