import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { linearize, linearizeInTurns, type Specification } from './linearizability/wing-gong.ts';

/** A write or a read of a register. */
interface Op {
  readonly invoked: number;
  readonly returned: number;
  readonly write?: number;
  readonly read?: number;
}

const REGISTER: Specification<number, Op> = {
  initial: 0,
  after: (state, { write, read }) => write ?? (read === state ? state : undefined),
  keyOf: String,
};

/** The same, with its reads named. */
const WITH_IDLE_READS: Specification<number, Op> = {
  ...REGISTER,
  staysIdle: (_, { read }) => read !== undefined,
};

const values = fc.nat({ max: 3 });
const times = fc
  .tuple(fc.nat({ max: 12 }), fc.nat({ max: 6 }))
  .map(([invoked, took]) => ({ invoked, returned: invoked + took }));
const operations = fc.array(
  fc
    .tuple(times, fc.boolean(), values, fc.boolean())
    .map(([{ invoked, returned }, isWrite, value, isLost]): Op => {
      const effect = isWrite ? { write: value } : { read: value };
      return { invoked, returned: isLost ? Number.POSITIVE_INFINITY : returned, ...effect };
    }),
  { maxLength: 7 },
);

/** Tries every order of every choice of the unanswered operations. */
function isPossible(left: readonly Op[], state = REGISTER.initial): boolean {
  const answered = left.filter(({ returned }) => returned !== Number.POSITIVE_INFINITY);
  if (answered.length === 0) return true;
  const end = Math.min(...answered.map(({ returned }) => returned));
  return left.some((op) => {
    const next = op.invoked > end ? undefined : REGISTER.after(state, op);
    return (
      next !== undefined &&
      isPossible(
        left.filter((other) => other !== op),
        next,
      )
    );
  });
}

/** Writes that all overlap, and a read of what none of them has written. */
const hopeless = (writes: number): readonly Op[] => [
  ...Array.from({ length: writes }, (_, at) => ({ invoked: 1, returned: 9, write: at + 1 })),
  { invoked: 10, returned: 11, read: 99 },
];

describe('The search for a linearization', () => {
  it('finds one exactly if there is one, and it is one', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(REGISTER, WITH_IDLE_READS),
        operations,
        async (register, ops) => {
          const result = linearize(register, ops);
          expect(result.found).toBe(isPossible(ops));
          expect(await linearizeInTurns(register, ops)).toStrictEqual(result);
          const order = result.found ? result.order : result.longest;
          const states = order.reduce<number | undefined>(
            (state, op) => (state === undefined ? state : REGISTER.after(state, op)),
            REGISTER.initial,
          );
          expect(states).toBeDefined();
          expect(new Set(order).size).toBe(order.length);
          for (const [at, op] of order.entries()) {
            for (const earlier of order.slice(0, at))
              expect(earlier.invoked).toBeLessThanOrEqual(op.returned);
          }
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it('keeps a write of the current value for the time when it restores that value', () => {
    const one = { invoked: 0, returned: 0, write: 1 };
    const zero = { invoked: 0, returned: 0, write: 0 };
    const read = { invoked: 1, returned: 1, read: 0 };
    const result = linearize(WITH_IDLE_READS, [one, zero, read]);
    expect(result).toStrictEqual({ found: true, order: [one, zero, read] });
  });

  it('decides 40 overlapping reads', () => {
    const reads = Array.from({ length: 40 }, () => ({ invoked: 1, returned: 9, read: 1 }));
    const ops = [
      ...reads,
      { invoked: 1, returned: 9, write: 1 },
      { invoked: 1, returned: 9, write: 2 },
    ];
    expect(linearize(WITH_IDLE_READS, ops).found).toBe(true);
    expect(linearize(WITH_IDLE_READS, [...ops, { invoked: 10, returned: 11, read: 3 }]).found).toBe(
      false,
    );
  });

  it('decides 15 overlapping writes', () => {
    const ops = hopeless(15);
    const result = linearize(REGISTER, ops);
    expect(result).toMatchObject({ found: false });
    expect(result.found === false && result.longest).toHaveLength(15);
  });

  it('is undecided at a limit, with the longest order so far', async () => {
    const limits = { maxCombinations: 5_000 };
    const result = linearize(REGISTER, hopeless(40), limits);
    expect(result).toMatchObject({ found: undefined });
    expect(result.found === undefined && result.longest.length).toBeGreaterThan(30);
    expect(await linearizeInTurns(REGISTER, hopeless(40), limits)).toStrictEqual(result);
  });

  it('is undecided when a signal ends it, and lets other work have its turns', async () => {
    const ending = new AbortController();
    let turns = 0;
    const timer = setInterval(() => {
      turns += 1;
      if (turns === 3) ending.abort();
    }, 1);
    const result = await linearizeInTurns(REGISTER, hopeless(40), { signal: ending.signal });
    clearInterval(timer);
    expect(result.found).toBeUndefined();
    expect(turns).toBeGreaterThanOrEqual(3);
  });
});

it.each([
  { invoked: 5, returned: 2 },
  { invoked: Number.NaN, returned: 2 },
  { invoked: 1, returned: Number.NaN },
  { invoked: 1, returned: undefined as never },
])('refuses an operation that returns before it is invoked, or never says when: %j', (times) => {
  const operations = [
    { ...times, write: 1 },
    { invoked: 3, returned: 4, read: 0 },
  ];
  expect(() => linearize(REGISTER, operations)).toThrow(RangeError);
});
