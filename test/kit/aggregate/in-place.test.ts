import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { evaluated } from '../../support/evaluated.ts';
import { memoryApp } from '../../support/targets.ts';
import { check } from '../check.ts';
import { ORDERS } from '../orders.ts';
import { deciderTarget as orderDecider } from '../targets/decider.ts';
import type { PlaceOrder } from '../vocabulary.ts';
import type { Decider, Domain } from './domain.ts';
import { type EventStore, STORE_RULES } from './event-store.ts';
import { type CheckOptions, kitFor } from './kit.ts';
import { RULES } from './run.ts';
import { deciderTarget, type Session, type Target } from './target.ts';
import { asText, copyOf } from './text.ts';

/** Users' code that changes in place what it is given: the kit would compare that with itself. */

/** Puts items into a bag. The event has the array of the command. */
interface Put {
  items: number[];
}
/** An instance of a class cannot be copied from outside, so the kit gives itself. */
class Weight {
  #grams: number;
  constructor(grams: number) {
    this.#grams = grams;
  }
  round() {
    this.#grams = Math.round(this.#grams / 10) * 10;
  }
  toJSON() {
    return this.#grams;
  }
}
interface Bag {
  items: readonly number[];
  weight: number;
}

const model: Decider<Bag, Put & { weight: Weight }, Put & { weight: Weight }> = {
  initial: { items: [], weight: 0 },
  decide: ({ items, weight }) => ({ kind: 'accepted', events: [{ items, weight }] }),
  evolve: (bag, { items, weight }) => ({
    items: [...bag.items, ...items],
    weight: bag.weight + weight.toJSON(),
  }),
};

type Change = Put & { weight: Weight };

const changes = fc.record({
  items: fc.array(fc.nat(9), { minLength: 2, maxLength: 3 }),
  weight: fc.nat(99).map((grams) => new Weight(grams)),
});

const BAGS: Domain<Bag, Change, Change> = {
  name: 'bag',
  model,
  commands: changes,
  events: changes,
  causeOf: (event) => event,
  view: (bag) => bag,
};
const bags = kitFor(BAGS);

/** An application that decides by a decider, with the events of each bag in memory. */
function application(
  { decide, evolve, initial }: typeof model,
  members: Partial<Session<Change, Change>> = {},
): Target<Change, Change> {
  return {
    name: 'application',
    open() {
      const streams = new Map<string, readonly Change[]>();
      const eventsOf = (id: string) => streams.get(id) ?? [];
      return {
        async perform({ id, command }) {
          const decision = decide(command, eventsOf(id).reduce(evolve, initial));
          if (decision.kind === 'accepted') {
            streams.set(id, [...eventsOf(id), ...decision.events]);
          }
          return decision;
        },
        view: (id) => eventsOf(id).reduce(evolve, initial),
        events: eventsOf,
        ...members,
      };
    },
  };
}

/** Deciders that are right, but for what they change before or afterwards. */
const faults: Record<string, typeof model> = {
  'decide, a command': {
    ...model,
    decide(command, bag) {
      command.items.sort((one, other) => one - other);
      return model.decide(command, bag);
    },
  },
  'decide, an instance of a class': {
    ...model,
    decide(command, bag) {
      command.weight.round();
      return model.decide(command, bag);
    },
  },
  'evolve, an event': {
    ...model,
    evolve(bag, event) {
      const after = model.evolve(bag, event);
      event.items.length = 0;
      return after;
    },
  },
  'evolve, a later state': {
    ...model,
    evolve(bag, event) {
      if (bag.weight === 0) return model.evolve(bag, event);
      bag.weight += event.weight.toJSON();
      return { ...bag, items: [...bag.items, ...event.items] };
    },
  },
};

describe('What is changed in place is found:', () => {
  test('nothing in a right one', async () => {
    await bags.assertDecides(model);
    await bags.assertHolds(application(model));
    await bags.assertLinearizable(application(model), { rounds: 20 });
  });

  test.each(Object.entries(faults))('by %s', async (_, decider) => {
    const { counterexample } = await bags.check(deciderTarget('decider', decider), { seed: 1 });
    expect(counterexample?.rule).toBe(RULES.pure);
    const kit = kitFor({ ...BAGS, model: decider });
    const { counterexample: own } = await kit.check(application(model), { seed: 1 });
    expect(own?.rule).toBe(RULES.pure);
    expect(own?.detail).toContain('the model has changed ');
  });

  test.each(Object.entries(faults).slice(0, 3))('by %s, in an application', async (_, decider) => {
    const { counterexample } = await bags.check(application(decider), { seed: 1 });
    // An event that is emptied when it is read the second time shows there first.
    expect([RULES.pure, RULES.view]).toContain(counterexample?.rule);
    await expect(bags.assertLinearizable(application(decider))).rejects.toThrow(
      'the target has changed the command of ',
    );
  });

  test('by a reader, after the answer', async () => {
    const empty = ({ items }: Change) => {
      items.length = 0;
    };
    const blind: Target<Change, Change> = {
      name: 'blind',
      open() {
        const streams = new Map<string, Change[]>();
        return {
          perform({ id, command }) {
            streams.set(id, [...(streams.get(id) ?? []), command]);
            return { kind: 'accepted' };
          },
          events(id) {
            streams.get(id)?.forEach(empty);
            return streams.get(id) ?? [];
          },
        };
      },
    };
    const { counterexample } = await bags.check(blind, { seed: 1 });
    expect(counterexample?.rule).toBe(RULES.pure);
    await expect(bags.assertLinearizable(blind)).rejects.toThrow('the target has changed');
  });

  test('and the options that repeat it have the values that were given', async () => {
    const plain: Decider<0, Put, Put> = {
      initial: 0,
      decide: ({ items }) => ({ kind: 'accepted', events: [{ items }] }),
      evolve: () => 0,
    };
    const puts = changes.map(({ items }): Put => ({ items }));
    const kit = kitFor({
      name: 'bag',
      model: plain,
      commands: puts,
      events: puts,
      causeOf: Object,
    });
    const fault: typeof plain = {
      ...plain,
      decide(command) {
        command.items.push(0);
        return plain.decide(command, 0);
      },
    };
    const { counterexample } = await kit.check(deciderTarget('faulty', fault), { seed: 1 });
    const options = evaluated(counterexample?.replay ?? '') as CheckOptions<Put>;
    const again = await kit.check(deciderTarget('faulty', fault), options);
    expect(again.counterexample?.detail).toBe(counterexample?.detail);
    expect(again.counterexample?.detail).toMatch(/has changed the command from .* to .*, 0\]/);
  });

  test('by a decision in given, when, then', () => {
    const given = bags.given(faults['decide, a command'] as typeof model);
    const command = { items: [2, 1], weight: new Weight(1) };
    expect(() => given.when(command)).toThrow('the decider has changed the command');
  });

  test.each<[string, (events: Change[]) => void]>([
    ['reverses the array', (events) => events.reverse()],
    ['sorts the items', ([first]) => first?.items.reverse()],
    ['changes an instance', ([first]) => first?.weight.round()],
  ])('by an event store that %s', async (_, fault) => {
    const open = async (): Promise<EventStore<Change>> => {
      const streams = new Map<string, readonly Change[]>();
      const read = (stream: string) => streams.get(stream) ?? [];
      return {
        async append(stream, expected, events) {
          if (read(stream).length !== expected) return { kind: 'conflict' };
          fault(events as Change[]);
          streams.set(stream, [...read(stream), ...events]);
          return { kind: 'appended', version: read(stream).length };
        },
        read: async (stream) => read(stream),
      };
    };
    const { counterexample } = await bags.checkEventStore(open, { seed: 1 });
    expect(counterexample?.rule).toBe(STORE_RULES.pure);
    expect(counterexample?.detail).toContain('the store has changed the events of an append');
  });

  const roundedPlacing = (command: object) => {
    const placing = command as { -readonly [Name in keyof PlaceOrder]: PlaceOrder[Name] };
    if (placing.type !== 'PlaceOrder') return;
    placing.petId = BigInt.asIntN(64, BigInt(Number(placing.petId)));
  };

  test('of orders, by a decider and by a store', async () => {
    const { decide } = ORDERS.model;
    const decider = {
      ...ORDERS.model,
      decide(...[command, row]: Parameters<typeof decide>) {
        roundedPlacing(command);
        return decide(command, row);
      },
    };
    const target = orderDecider('rounding', decider as never);
    expect((await check(target, { seed: 1, runs: 300 })).counterexample?.rule).toBe(RULES.pure);
    const store = {
      name: 'rounding',
      async open() {
        const session = await memoryApp.open();
        const perform: typeof session.perform = (command, client) => {
          roundedPlacing(command);
          return session.perform(command, client);
        };
        return { ...session, perform };
      },
    };
    const { counterexample } = await check(store, { seed: 1, runs: 300 });
    expect(counterexample?.rule).toBe('an order is shown as it was placed, to the last digit');
  });
});

test('a copy of a value is the same, and shares nothing that can be changed but instances', () => {
  const values = fc.anything({
    ...{ withBigInt: true, withDate: true, withMap: true, withSet: true, withNullPrototype: true },
  });
  fc.assert(
    fc.property(values, (value) => {
      const copy = copyOf(value);
      expect(asText(copy)).toBe(asText(value));
      expect(copy).toStrictEqual(value);
      if (typeof value === 'object' && value !== null) expect(copy).not.toBe(value);
    }),
  );
  const weight = new Weight(5);
  expect(copyOf({ weight, [Symbol.for('brand')]: 1 })).toStrictEqual({
    weight,
    [Symbol.for('brand')]: 1,
  });
});
