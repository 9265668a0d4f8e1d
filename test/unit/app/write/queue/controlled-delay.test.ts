import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ControlledDelay } from '../../../../../src/app/write/queue/controlled-delay.ts';

const LIMITS = { targetMs: 50, intervalMs: 100 };

/** A time, what happened then, and how old the oldest command was. */
type Seen = readonly [
  atMs: number,
  kind: 'leftBehind' | 'waited' | 'refused' | 'emptied',
  ageMs: number,
];

function play(delay: ControlledDelay, [atMs, kind, ageMs]: Seen): void {
  if (kind === 'refused' || kind === 'emptied') delay[kind](atMs);
  else delay[kind](ageMs, atMs);
}

describe('the policy of how long commands wait', () => {
  it.each<{ when: string; seen: readonly Seen[]; isOverloaded: boolean }>([
    { when: 'nothing has happened', seen: [], isOverloaded: false },
    { when: 'a batch leaves old commands', seen: [[0, 'leftBehind', 900]], isOverloaded: false },
    {
      when: 'every batch of nearly an interval leaves old ones',
      seen: [...at(0, 30, 60, 99)],
      isOverloaded: false,
    },
    {
      when: 'every batch of an interval leaves old ones',
      seen: [...at(7, 37, 107)],
      isOverloaded: true,
    },
    {
      when: 'one batch of the interval leaves young ones',
      seen: [...at(0, 50), [60, 'leftBehind', 49.9], ...at(70, 100, 169)],
      isOverloaded: false,
    },
    {
      when: 'one leaves none, and an interval follows in which all do',
      seen: [...at(0, 50), [60, 'leftBehind', 0], ...at(70, 100, 170)],
      isOverloaded: true,
    },
    {
      when: 'the oldest waits for nearly ten intervals in one batch',
      seen: [[999, 'waited', 999.9]],
      isOverloaded: false,
    },
    { when: 'it waits for ten', seen: [[1_000, 'waited', 1_000]], isOverloaded: true },
    {
      when: 'nearly an interval is good again',
      seen: [...at(0, 100), [150, 'leftBehind', 0], [199, 'leftBehind', 0]],
      isOverloaded: true,
    },
    {
      when: 'an interval is good again',
      seen: [...at(0, 100), [150, 'leftBehind', 0], [200, 'leftBehind', 49]],
      isOverloaded: false,
    },
    {
      when: 'the interval is good but for one batch',
      seen: [
        ...at(0, 100),
        [150, 'leftBehind', 0],
        [160, 'leftBehind', 50],
        [259, 'leftBehind', 0],
      ],
      isOverloaded: true,
    },
    {
      when: 'commands wait for less than the limit of a stall in an overload',
      seen: [...at(0, 100), [150, 'waited', 900], [200, 'leftBehind', 0]],
      isOverloaded: false,
    },
    {
      when: 'a command was refused less than an interval ago',
      seen: [...at(0, 100), [150, 'refused', 0], [249, 'leftBehind', 0]],
      isOverloaded: true,
    },
    {
      when: 'no command waits for an interval',
      seen: [...at(0, 100), [200, 'emptied', 0]],
      isOverloaded: false,
    },
    {
      when: 'no command waits for an interval of a stall',
      seen: [
        [1_000, 'waited', 1_000],
        [1_100, 'emptied', 0],
      ],
      isOverloaded: true,
    },
    {
      when: 'a stall has ended less than an interval ago',
      seen: [
        [1_000, 'waited', 1_000],
        [1_099, 'leftBehind', 0],
      ],
      isOverloaded: true,
    },
  ])('is overloaded or not when $when: $isOverloaded', ({ seen, isOverloaded }) => {
    const delay = new ControlledDelay(LIMITS);
    for (const each of seen) play(delay, each);
    expect(delay.isOverloaded).toBe(isOverloaded);
    expect(delay.maxWaitMs).toBe(isOverloaded ? 50 : 1_000);
  });

  it('lets a command wait for ten intervals, and in a stall for the target, until a batch is taken', () => {
    const delay = new ControlledDelay(LIMITS);
    expect(delay.stallMs).toBe(1_000);
    for (const seen of at(0, 100)) play(delay, seen);
    expect([delay.stallMs, delay.maxWaitMs]).toStrictEqual([1_000, 50]);
    delay.waited(1_000, 1_100);
    expect(delay.stallMs).toBe(50);
    delay.emptied(1_110);
    delay.waited(50, 1_160);
    expect(delay.stallMs).toBe(50);
    delay.leftBehind(0, 1_170);
    expect(delay.stallMs).toBe(1_000);
  });

  it('has defaults', () => {
    expect(new ControlledDelay().maxWaitMs).toBe(1_000);
  });

  it('agrees with a model that remembers the whole past', () => {
    const steps = fc.array(
      fc.record({
        laterMs: fc.integer({ min: 0, max: 120 }),
        kind: fc.constantFrom(
          'leftBehind' as const,
          'leftBehind' as const,
          'waited' as const,
          'refused' as const,
          'emptied' as const,
        ),
        ageMs: fc.oneof(fc.integer({ min: 0, max: 120 }), fc.constantFrom(999, 1_000, 5_000)),
      }),
      { maxLength: 60 },
    );
    fc.assert(
      fc.property(steps, (all) => {
        const delay = new ControlledDelay(LIMITS);
        const past: Seen[] = [];
        let atMs = 10_000;
        let before = false;
        let isStalled = false;
        for (const { laterMs, kind, ageMs } of all) {
          atMs += laterMs;
          const seen: Seen = [atMs, kind, ageMs];
          play(delay, seen);
          if (kind === 'leftBehind') isStalled = false;
          const isTooLong = kind === 'waited' && ageMs >= (isStalled ? 50 : 1_000);
          if (isTooLong) isStalled = true;
          if (kind === 'emptied') past.push([atMs, isStalled ? 'waited' : 'leftBehind', 0]);
          else past.push(isTooLong ? [atMs, kind, 1_000] : seen);
          expect(delay.isOverloaded).toBe(after(before, past));
          before = delay.isOverloaded;
        }
      }),
      { numRuns: 1_000 },
    );
  });
});

/** Batches that leave commands of the age of the target. */
function at(...timesMs: readonly number[]): Seen[] {
  return timesMs.map((atMs) => [atMs, 'leftBehind', 50]);
}

/** The state after the last of all that was seen, by the definition and from the whole past. */
function after(before: boolean, past: readonly Seen[]): boolean {
  const [nowMs, kind, ageMs] = past.at(-1) as Seen;
  if (kind === 'refused') return before;
  if (kind === 'waited') return before || ageMs >= 1_000;
  if (ageMs >= 50) {
    const left = past.filter(([, kind]) => kind === 'leftBehind');
    const below = left.findLastIndex(([, , ageMs]) => ageMs < 50);
    const [firstAboveMs] = left[below + 1] as Seen;
    return before || nowMs - firstAboveMs >= 100;
  }
  const limits = { leftBehind: 50, waited: 1_000, refused: 0, emptied: Infinity };
  const isBad = ([, kind, ageMs]: Seen) => ageMs >= limits[kind];
  const [lastBadMs] = past.findLast(isBad) ?? [-Infinity];
  return before && nowMs - lastBadMs < 100;
}
