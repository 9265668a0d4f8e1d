import { describe, expect, it } from 'vitest';
import { Progress } from '../../../src/http/slow-reader.ts';

/** Looks once a second at a client that takes so many bytes a second; returns when it was too slow. */
function firstTooSlow(takes: (second: number) => number, seconds: number): number | undefined {
  const progress = new Progress(30_000);
  let taken = 0;
  for (let second = 0; second <= seconds; second++) {
    if (progress.isTooSlow(second * 1_000, { pending: 1, taken })) return second;
    taken += takes(second);
  }
  return undefined;
}

describe('A client is too slow', () => {
  it('when it takes nothing for 30 seconds', () => {
    expect(firstTooSlow(() => 0, 100)).toBe(30);
  });

  it('when it stops in the middle, 30 seconds later', () => {
    expect(firstTooSlow((second) => (second < 47 ? 1_000_000 : 0), 100)).toBe(77);
  });

  it('when it takes less than 1,024 bytes a second on average', () => {
    expect(firstTooSlow(() => 1_023, 100)).toBe(30);
    expect(firstTooSlow((second) => (second < 35 ? 5_000 : 1_000), 100)).toBe(90);
  });

  it('and not when it takes just as much, even in bursts', () => {
    expect(firstTooSlow(() => 1_024, 1_000)).toBeUndefined();
    expect(firstTooSlow((second) => (second % 15 === 0 ? 15 * 1_024 : 0), 1_000)).toBeUndefined();
  });

  it('and not when the system accepts a third of its 4 MB in time: 47,000 bytes a second', () => {
    const thirdBytes = 4_194_304 / 3;
    const every = (seconds: number) => (second: number) =>
      second % seconds === 0 ? thirdBytes : 0;
    const seconds = Math.floor(thirdBytes / 47_000);
    expect(firstTooSlow(every(seconds), 1_000)).toBeUndefined();
    // A reader of 40,000 bytes a second may be cut off: its progress is seen too late.
    expect(firstTooSlow(every(Math.ceil(thirdBytes / 40_000)), 1_000)).toBeDefined();
  });

  it('and not while it has everything', () => {
    const progress = new Progress(30_000);
    expect(progress.isTooSlow(0, { pending: 9, taken: 5 })).toBe(false);
    for (let second = 1; second < 100; second++) {
      expect(progress.isTooSlow(second * 1_000, { pending: 0, taken: 5 })).toBe(false);
    }
    // Something new is pending: its time begins now.
    expect(progress.isTooSlow(100_000, { pending: 9, taken: 5 })).toBe(false);
    expect(progress.isTooSlow(129_999, { pending: 9, taken: 5 })).toBe(false);
    expect(progress.isTooSlow(130_000, { pending: 9, taken: 5 })).toBe(true);
  });
});
