import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { TokenBucket, TokenBuckets } from '../../../src/app/token-buckets.ts';
import { clockAt } from '../../support/test-clock.ts';

function given(capacity = 3, perSecond = 0.5, maxNames = 2) {
  const clock = clockAt('2026-01-01T12:00:00.000Z');
  return { clock, buckets: new TokenBuckets({ capacity, perSecond, maxNames }, clock.elapsed) };
}

describe('a bucket', () => {
  it('gives its tokens at once, and then those that it gains', () => {
    const { clock, buckets } = given();
    expect([1, 2, 3, 4].map(() => buckets.take('a'))).toStrictEqual([0, 0, 0, 2]);
    clock.pass(1_000);
    expect(buckets.take('a')).toBe(1);
    clock.pass(1_000);
    expect([buckets.take('a'), buckets.take('a')]).toStrictEqual([0, 2]);
  });

  it('never exceeds its capacity, and is not filled by a change of the wall clock', () => {
    const { clock, buckets } = given();
    clock.pass(1e9);
    expect([1, 2, 3, 4].map(() => buckets.take('a'))).toStrictEqual([0, 0, 0, 2]);
    clock.step(1e9);
    expect(buckets.take('a')).toBe(2);
    clock.step(-2e9);
    expect(buckets.take('a')).toBe(2);
  });

  it('is each name its own, and of too many the one that took longest ago is forgotten', () => {
    const { buckets } = given(1);
    expect([buckets.take('a'), buckets.take('b'), buckets.take('a')]).toStrictEqual([0, 0, 2]);
    expect(buckets.take('c')).toBe(0);
    expect(buckets.take('a')).toBe(2);
    expect(buckets.take('b')).toBe(0);
  });
});

test('some tokens are taken together, or none of them', () => {
  const bucket = new TokenBucket(3, 0);
  const size = { capacity: 3, perSecond: 0.5 };
  expect(bucket.take(size, 0, 2)).toBe(0);
  expect(bucket.take(size, 0, 2)).toBe(2);
  expect(bucket.tokens).toBe(1);
  expect(bucket.take(size, 2_000, 2)).toBe(0);
  expect(bucket.take(size, 2_000, 0)).toBe(0);
});

test('tokens that are given back can be taken again, up to the capacity', () => {
  const bucket = new TokenBucket(3, 0);
  const size = { capacity: 3, perSecond: 0.5 };
  expect(bucket.take(size, 0, 2)).toBe(0);
  bucket.giveBack(2);
  expect(bucket.take(size, 2_000, 3)).toBe(0);
  expect(bucket.take(size, 2_000)).toBe(2);
});

test('no schedule gets more than the capacity and the gained tokens', () => {
  const waits = fc.array(fc.nat({ max: 5_000 }), { maxLength: 200 });
  fc.assert(
    fc.property(waits, (schedule) => {
      const { clock, buckets } = given(5, 2);
      let taken = 0;
      let passed = 0;
      for (const wait of schedule) {
        clock.pass(wait);
        passed += wait;
        const due = buckets.take('a');
        if (due === 0) taken += 1;
        else expect(due).toBeLessThanOrEqual(0.5);
        expect(taken).toBeLessThanOrEqual(5 + (passed / 1_000) * 2 + 1e-6);
      }
    }),
  );
});

test('it uses the monotonic clock by default', () => {
  const buckets = new TokenBuckets({ capacity: 1, perSecond: 1 / 3_600, maxNames: 1 });
  expect(buckets.take('a')).toBe(0);
  expect(buckets.take('a')).toBeCloseTo(3_600, 0);
});
