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
