/** The limiter against a reference model: counts, and tokens as whole numbers, without a rounding. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { KeyLimiter } from '../../../../src/app/keys/key-limiter.ts';
import type { ApiKey, KeyLimits } from '../../../../src/app/ports/key-store.ts';
import { NOON } from '../../../support/events.ts';
import { clockAt } from '../../../support/test-clock.ts';

const STREAMS_PER_KEY = 2;
/** The parts of a token: every rate gains a whole number of them in a millisecond. */
const TOKEN_PARTS = 1_000 * 3_600;

class ModelOfKey {
  parts: number | undefined = undefined;
  at = 0;
  underWay = 0;
  streams = 0;

  enter({ rate, concurrent = Infinity }: KeyLimits, now: number): string {
    if (rate === undefined) this.parts = undefined;
    else {
      const gained = (now - this.at) * rate.requests * (3_600 / rate.seconds);
      const full = rate.burst * TOKEN_PARTS;
      this.parts = Math.min(full, (this.parts ?? full) + gained);
      this.at = now;
      if (this.parts < TOKEN_PARTS) return 'too_fast';
      this.parts -= TOKEN_PARTS;
    }
    if (this.underWay >= concurrent) return 'too_many';
    this.underWay += 1;
    return 'admitted';
  }

  openStream({ streams = STREAMS_PER_KEY }: KeyLimits): boolean {
    if (this.streams >= streams) return false;
    this.streams += 1;
    return true;
  }
}

const few = fc.integer({ min: 1, max: 4 });
const someLimits: fc.Arbitrary<KeyLimits> = fc.record(
  {
    rate: fc.record({
      requests: fc.oneof(few, fc.integer({ min: 1, max: 999_999 })),
      seconds: fc.constantFrom(1, 60, 3_600),
      burst: few,
    }),
    concurrent: few,
    streams: few,
  },
  { requiredKeys: [] },
);
const NAMES = ['a', 'b'];
const id = fc.constantFrom(...NAMES);
const limitsAtFirst = fc.tuple(someLimits, someLimits);
// Most rates gain a token after a second, or not quite.
const times = fc.oneof(fc.nat({ max: 5_000 }), fc.integer({ min: 990, max: 1_000 }));
const steps = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ enter: id }) },
    { weight: 2, arbitrary: fc.record({ open: id }) },
    { weight: 3, arbitrary: fc.record({ end: fc.nat() }) },
    { weight: 3, arbitrary: fc.record({ pass: times }) },
    { weight: 1, arbitrary: fc.record({ limit: id, limits: someLimits }) },
  ),
  { maxLength: 200, size: '+1' },
);
type Step = (typeof steps extends fc.Arbitrary<infer All> ? All : never) extends (infer One)[]
  ? One
  : never;

/** Takes the steps with both, and expects the same of both. */
function follow(
  atFirst: readonly KeyLimits[],
  all: readonly Step[],
  Limiter: typeof KeyLimiter,
): void {
  const clock = clockAt('2026-01-01T12:00:00.000Z');
  const begin = clock.elapsed();
  const limiter = new Limiter(STREAMS_PER_KEY, clock.elapsed);
  const limitsOf = new Map(NAMES.map((name, index) => [name, atFirst[index] ?? {}]));
  const models = new Map(NAMES.map((name) => [name, new ModelOfKey()]));
  const ends: (() => void)[] = [];
  const keyOf = (name: string) => {
    const key = { id: name, name, hash: Buffer.alloc(32), scopes: [], createdAt: NOON };
    return {
      key: { ...key, limits: limitsOf.get(name) ?? {} },
      model: models.get(name) as ModelOfKey,
    };
  };
  for (const step of all) {
    if ('pass' in step) clock.pass(step.pass);
    else if ('limit' in step) limitsOf.set(step.limit, step.limits);
    else if ('end' in step) ends.splice(step.end % (ends.length + 1), 1)[0]?.();
    else if ('open' in step) {
      const { key, model } = keyOf(step.open);
      const end = limiter.openStream(key);
      expect(end !== undefined).toBe(model.openStream(key.limits));
      if (end === undefined) continue;
      ends.push(() => {
        end();
        model.streams -= 1;
      });
    } else {
      const { key, model } = keyOf(step.enter);
      const entry = limiter.enter(key);
      expect(entry.kind).toBe(model.enter(key.limits, clock.elapsed() - begin));
      expect(entry.quota === undefined).toBe(model.parts === undefined);
      expect(isNearly(entry.quota?.remaining ?? 0, (model.parts ?? 0) / TOKEN_PARTS)).toBe(true);
      if (entry.kind !== 'admitted') continue;
      ends.push(() => {
        entry.leave();
        model.underWay -= 1;
      });
    }
  }
}

/** Returns whether a number is the whole part of an exact one, but for the rounding of fractions. */
function isNearly(whole: number, exact: number): boolean {
  return whole === Math.floor(exact) || whole === Math.floor(exact - 1e-6);
}

const like = (Limiter: typeof KeyLimiter) =>
  fc.property(limitsAtFirst, steps, (limits, all) => follow(limits, all, Limiter));

it('a limiter behaves like its model, whatever is done in whatever order', () => {
  fc.assert(like(KeyLimiter), { numRuns: 2_000 });
});

it.each([
  [
    'takes two tokens for a refusal',
    class extends KeyLimiter {
      override enter(key: ApiKey) {
        const entry = super.enter(key);
        if (entry.kind === 'too_many') super.enter(key);
        return entry;
      }
    },
  ],
  [
    'takes two tokens for a request',
    class extends KeyLimiter {
      override enter(key: ApiKey) {
        const entry = super.enter(key);
        const other = entry.kind === 'admitted' ? super.enter(key) : entry;
        if (other.kind === 'admitted') other.leave();
        return entry;
      }
    },
  ],
  [
    'counts no stream',
    class extends KeyLimiter {
      override openStream(key: ApiKey) {
        const end = super.openStream(key);
        end?.();
        return end;
      }
    },
  ],
  [
    'has a clock that is 1 % too fast',
    class extends KeyLimiter {
      constructor(streams: number, elapsed: () => number) {
        super(streams, () => elapsed() * 1.01);
      }
    },
  ],
] as const)('a limiter is noticed that %s', (_words, Limiter) => {
  expect(fc.check(like(Limiter), { numRuns: 20_000, endOnFailure: true }).failed).toBe(true);
});
