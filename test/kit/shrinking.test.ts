import { describe, expect, test } from 'vitest';
import { type OrderCommand, type OrderState, order } from '../../src/domain/order.ts';
import { INT64_EDGES } from './arbitraries.ts';
import { check } from './check.ts';
import { everySequence } from './exhaustive.ts';
import type { Program } from './program.ts';
import { Run } from './run.ts';
import { plainerPlacings } from './shrinking.ts';
import type { Target } from './target.ts';
import { type Decider, deciderTarget } from './targets/decider.ts';

const OLD_DATE = '1969-12-31T23:59:59.999Z';

type Fault = (command: OrderCommand, state: OrderState, seen: number) => boolean;

/** The real decider, except that it accepts commands that it should refuse or ignore. */
function faulty(name: string, fault: Fault): Target {
  const events = {
    PlaceOrder: 'OrderPlaced',
    ShipOrder: 'OrderShipped',
    CancelOrder: 'OrderCancelled',
  } as const;
  return {
    name,
    open() {
      let seen = 0;
      const decide: Decider<OrderState>['decide'] = (command, state) => {
        seen += 1;
        if (!fault(command as OrderCommand, state, seen)) {
          return order.decide(command as OrderCommand, state);
        }
        const event = { ...command, type: events[command.type] };
        return { kind: 'accepted', events: [event as never] };
      };
      return deciderTarget(name, { ...order, decide } as Decider<OrderState>).open();
    },
  };
}

/** Returns the length of the shortest failing program, found by exhaustive search. */
async function shortest(target: Target): Promise<number> {
  for (let length = 1; length <= 6; length++) {
    for (const program of everySequence(length, 2)) {
      const run = new Run(await target.open());
      if (
        await run.alone(program).then(
          () => false,
          () => true,
        )
      )
        return length;
    }
  }
  throw new Error('none fails');
}

const FAULTS: readonly (readonly [name: string, fault: Fault])[] = [
  [
    'a shipped order can be cancelled',
    ({ type }, { status }) => type === 'CancelOrder' && status === 'shipped',
  ],
  [
    'a second cancellation is recorded',
    ({ type }, { status }) => type === 'CancelOrder' && status === 'cancelled',
  ],
  [
    'a cancelled order ships',
    ({ type }, { status }) => type === 'ShipOrder' && status === 'cancelled',
  ],
  [
    'an order can be placed again',
    ({ type }, { status }) => type === 'PlaceOrder' && status !== 'none',
  ],
  [
    'an absent order can be cancelled',
    ({ type }, { status }) => type === 'CancelOrder' && status === 'none',
  ],
  [
    'the fifth command is always accepted',
    (_command, { status }, seen) => seen === 5 && status !== 'pending',
  ],
];

describe('A counterexample has minimal length if', () => {
  test.each(FAULTS)('%s', async (name, fault) => {
    const target = faulty(name, fault);
    for (const seed of [1, 2, 3, 4, 5]) {
      const { counterexample } = await check(target, { runs: 1_000, seed });
      const [program] = counterexample?.programs ?? [];
      expect(program?.steps).toHaveLength(await shortest(target));
      expect(plainnessOf(program as Program)).toEqual([]);
    }
  });

  test('Of many concurrent programs, only the failing one remains', async () => {
    const target = faulty(...(FAULTS[0] as (typeof FAULTS)[number]));
    const { counterexample } = await check(target, { runs: 500, together: 50, seed: 7 });
    expect(counterexample?.programs).toHaveLength(1);
    expect(counterexample?.programs[0]?.steps.map((step) => step.do)).toEqual([
      'place',
      'ship',
      'cancel',
    ]);
  });

  test('The plainest values come first, so that shrinking takes few runs', async () => {
    const target = faulty('rounds', ({ type, orderId }) => type === 'PlaceOrder' && orderId > 0n);
    const placing = { petId: -(2n ** 62n) - 5n, quantity: 2 ** 30 + 5, shipDate: OLD_DATE };
    const steps = [1, 2, 3].flatMap(() => [{ do: 'place', order: 0, ...placing } as const]);
    const given = { programs: [{ ids: [7n], steps }] };
    const { counterexample, runs } = await check(target, given);
    const plainest = { do: 'place', order: 0, petId: 1n, quantity: 1 };
    expect(counterexample?.programs[0]?.steps).toEqual([plainest, plainest]);
    expect(runs).toBeLessThan(25);
    // A sign that matters is kept.
    const { counterexample: pets, runs: petRuns } = await check(
      faulty('pets', (command, { status }) => {
        return status !== 'none' && command.type === 'PlaceOrder' && command.petId < 0n;
      }),
      given,
    );
    expect(pets?.programs[0]?.steps[1]).toEqual({ ...plainest, petId: -1n });
    expect(petRuns).toBeLessThan(50);
  });

  test('Shrinking that its time cuts off is reported', async () => {
    const target = faulty(...(FAULTS[0] as (typeof FAULTS)[number]));
    const { counterexample } = await check(target, { runs: 500, seed: 7, shrinkMs: 0 });
    const cut = 'shrinking ended after 0 s, so a plainer one may fail, too.';
    expect(counterexample?.origin).toBe(`Seed 7, path ${counterexample?.path}; ${cut}`);
    expect(counterexample?.script).toContain(`# ${counterexample?.origin}\n`);
    const whole = await check(target, { runs: 500, seed: 7 });
    expect(whole.counterexample?.origin).toBe(`Seed 7, path ${whole.counterexample?.path}.`);
  });

  test('Shrinking keeps a value that matters', async () => {
    const target = faulty('rounds', ({ type, orderId }, { status }) => {
      return type === 'CancelOrder' && status === 'none' && BigInt(Number(orderId)) !== orderId;
    });
    const { counterexample } = await check(target, { runs: 2_000, seed: 11 });
    expect(counterexample?.programs).toEqual([
      { ids: [2n ** 53n + 1n], steps: [{ do: 'cancel', order: 0 }] },
    ]);
  });

  test('The same seed finds the same counterexample', async () => {
    const target = faulty(...(FAULTS[1] as (typeof FAULTS)[number]));
    const first = await check(target, { seed: 42 });
    expect(first.counterexample).toBeDefined();
    expect(await check(target, { seed: 42 })).toEqual(first);
    // With the path, it is the first program to run.
    const { path = '' } = first.counterexample ?? {};
    const again = await check(target, { seed: 42, path });
    expect(again.counterexample).toMatchObject({ programs: first.counterexample?.programs });
    expect(again.runs).toBeLessThan(first.runs);
  });
});

test('A program with a restart runs alone, or not at all', async () => {
  const restart: Program = { ids: [1n], steps: [{ do: 'restart' }] };
  const run = new Run(await deciderTarget('decider', order).open());
  await expect(run.together([restart, restart])).rejects.toThrow('cut off the answers');
});

/** Returns the parts of a program that could be simpler. */
function plainnessOf({ ids, steps }: Program): readonly unknown[] {
  const values = steps.flatMap((step) => {
    if (step.do === 'place') return [step.petId !== 1n, step.quantity !== 1, 'shipDate' in step];
    return [];
  });
  return [...ids.map((id, index) => id !== BigInt(index + 1)), ...values].filter(Boolean);
}

test('A plainer placing is one that the contract allows, at both ends of int64', () => {
  for (const petId of INT64_EDGES) {
    for (const plainer of plainerPlacings({ petId, quantity: 1 })) {
      expect(BigInt.asIntN(64, plainer.petId)).toBe(plainer.petId);
    }
  }
});
