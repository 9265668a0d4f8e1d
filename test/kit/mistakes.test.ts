import { describe, expect, test } from 'vitest';
import { order } from '../../src/domain/order.ts';
import { decider } from '../support/targets.ts';
import { FORM_RULES as RULES } from './aggregate/form.ts';
import { assertHolds, type CheckOptions, check } from './check.ts';
import { runConformance } from './conformance/conformance.ts';
import type { Caller } from './history/http-caller.ts';
import { Recorder } from './history/recorder.ts';
import { runWorkload } from './history/workload.ts';
import { concurrentPrograms } from './programs.ts';
import type { Session } from './target.ts';
import { deciderTarget } from './targets/decider.ts';
import type { Command, OrderEvent } from './vocabulary.ts';

/** Mistakes of those who use the kit of orders: each is named, and none lets an assertion pass that checks nothing. */

describe('An assertion that would check nothing', () => {
  test.each([
    { runs: 0 },
    { runs: Number.NaN },
    { together: 0 },
    { together: 0.5 },
    { maxSteps: 0 },
    { maxOrders: -1 },
    { does: [] },
    { programs: [] },
    { seed: 1.5 },
    { seed: 1, path: '' },
    { timeLimitMs: Number.NaN },
    { shrinkMs: -1 },
  ])('is refused for its options: %j', async (options) => {
    await expect(assertHolds(decider, options)).rejects.toThrow(RangeError);
  });

  test.each<[string, CheckOptions]>([
    ['another kind', { programs: [{ ids: [1n], steps: [{ do: 'plce' } as never] }] }],
    ['an order without an id', { programs: [{ ids: [1n], steps: [{ do: 'cancel', order: 3 }] }] }],
    ['an id that is a number', { programs: [{ ids: [1 as never], steps: [{ do: 'list' }] }] }],
  ])('is refused for a program with %s', async (_, options) => {
    await expect(assertHolds(decider, options)).rejects.toThrow(RangeError);
  });

  test('does not run other programs beside given ones', async () => {
    const programs = [{ ids: [1n], steps: [{ do: 'cancel', order: 0 }] }] as const;
    const result = await assertHolds(decider, { programs, runs: 50 });
    expect([result.runs, result.steps]).toEqual([1, 1]);
    const wrong = {
      name: 'wrong',
      open: () => ({ perform: () => ({ kind: 'accepted' }) as const }),
    };
    const run = assertHolds(wrong, { programs });
    await expect(run).rejects.toThrow('# Program 1 of the 1 given.');
  });

  test('fails if the target does none of the steps', async () => {
    const does = ['restart'] as const;
    await expect(assertHolds(decider, { does })).rejects.toThrow('no step was run');
  });

  test('is refused for programs of no clients, and for a workload of none', async () => {
    expect(() => concurrentPrograms({ maxClients: 0 })).toThrow(RangeError);
    const none = { seed: 1, clients: 0, operations: 10, cuts: 0 };
    const run = runWorkload(none, {} as Caller, new Recorder());
    await expect(run).rejects.toThrow('clients must be a whole number from 1, and is 0');
    const many = { seed: 1, clients: 1, operations: 10, cuts: 101 };
    await expect(runWorkload(many, {} as Caller, new Recorder())).rejects.toThrow(
      'cuts must be a whole number from 0 to 100, and is 101',
    );
    const options = { baseUrl: 'http://127.0.0.1:1/v1', key: 'k' };
    for (const wrong of [
      { runs: 0 },
      { pause: 3_000_000 },
      { maxTime: Number.NaN },
      { seed: -1 },
    ]) {
      await expect(runConformance({ ...options, ...wrong })).rejects.toThrow(RangeError);
    }
  });
});

describe('A mistake of a target is named:', () => {
  const right = { kind: 'accepted', events: [] } as const;

  test.each<[string, Partial<Session>, string]>([
    ['no answer', { perform: () => undefined as never }, 'place A: undefined, and should be'],
    ['a promise of none', { perform: async () => null as never }, 'place A: null, and should be'],
    ['no reason', { perform: () => ({ kind: 'rejected' }) as never }, 'and should be'],
    ['a list that is none', { list: async () => ({}) as never }, 'the list: {}, and should be'],
    ['no events', { events: async () => undefined as never }, 'the events: undefined, and'],
  ])('%s', async (_, members, detail) => {
    const open = async () => ({ ...((await decider.open()) as Session), ...members });
    const target = { name: 'mistaken', open };
    const { counterexample } = await check(target, { does: ['place', 'list'], seed: 1 });
    expect(counterexample?.rule).toBe(RULES.form);
    expect(counterexample?.detail).toContain(detail);
  });

  test('a decider that waits', async () => {
    const waiting = { initial: 0, decide: async () => right, evolve: () => 0 };
    await expect(assertHolds(deciderTarget('waiting', waiting as never))).rejects.toThrow(
      'the decision: [object Promise], and should be',
    );
  });

  test('a decider that changes its state in place', async () => {
    const changing = {
      initial: { events: [] as string[] },
      decide: (command: Command) => order.decide(command as never, order.initial),
      evolve(state: { events: string[] }, { type }: OrderEvent) {
        state.events.push(type);
        return state;
      },
    };
    await expect(assertHolds(deciderTarget('changing', changing as never))).rejects.toThrow(
      'the decider has changed its initial state from {"events": []} to',
    );
  });
});

test('A decider may be an instance of a class', async () => {
  class OrderDecider {
    readonly initial = order.initial;
    readonly #order = order;
    decide(command: Command, state: typeof order.initial) {
      return this.#order.decide(command as never, state);
    }
    evolve(state: typeof order.initial, event: OrderEvent) {
      return this.#order.evolve(state, event as never);
    }
  }
  await assertHolds(deciderTarget('class', new OrderDecider() as never));
});
