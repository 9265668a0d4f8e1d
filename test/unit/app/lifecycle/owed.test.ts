import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Owed } from '../../../../src/app/lifecycle/owed.ts';
import { fakeTimersOf } from '../../../support/own-timers.ts';

const FULL = new Error('full');

let pendingTimers: () => number;

beforeEach(() => {
  pendingTimers = fakeTimersOf('src/app/lifecycle/owed.ts');
});
afterEach(() => void vi.useRealTimers());

/** Work that fails so many times, and says when it was tried and when it is done. */
function given(...names: readonly [name: string, failures: number][]) {
  const done: string[] = [];
  const tries: string[] = [];
  const owed = new Owed((error) => error === FULL);
  const works = names.map(([name, failures]) => {
    let left = failures;
    return async () => {
      tries.push(name);
      left -= 1;
      if (left >= 0) throw FULL;
      done.push(name);
    };
  });
  return { owed, works, done, tries };
}

describe('What a start owes', () => {
  it('is done at once if possible', async () => {
    const { owed, works, done, tries } = given(['one', 0], ['two', 0]);
    for (const work of works) await owed.do(work);
    expect(done).toEqual(['one', 'two']);
    owed.retry(() => expect.unreachable());
    await vi.advanceTimersByTimeAsync(5_000);
    expect(tries).toEqual(['one', 'two']);
  });

  it('is retried every second until all of it is done', async () => {
    const { owed, works, done, tries } = given(['one', 2], ['two', 1], ['three', 0]);
    for (const work of works) await owed.do(work);
    expect(done).toEqual(['three']);
    owed.retry(() => expect.unreachable());
    await vi.advanceTimersByTimeAsync(1_000);
    expect(done).toEqual(['three', 'two']);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(done).toEqual(['three', 'two', 'one']);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(tries).toEqual(['one', 'two', 'three', 'one', 'two', 'one']);
    expect(pendingTimers()).toBe(0);
  });

  it('fails with an error that does not pass, at once or later', async () => {
    const { owed } = given();
    const wrong = new Error('wrong');
    await expect(owed.do(() => Promise.reject(wrong))).rejects.toBe(wrong);
    let error = FULL;
    await owed.do(() => Promise.reject(error));
    const failed = vi.fn();
    owed.retry(failed);
    error = wrong;
    await vi.advanceTimersByTimeAsync(5_000);
    expect(failed.mock.calls).toEqual([[wrong]]);
  });

  it('is not tried any more after the end', async () => {
    const { owed, works, done } = given(['one', 1]);
    await owed.do(works[0] as () => Promise<void>);
    owed.retry(() => expect.unreachable());
    expect(pendingTimers()).toBe(1);
    const closed = owed.close();
    expect(pendingTimers()).toBe(0);
    await closed;
    await vi.advanceTimersByTimeAsync(5_000);
    expect(done).toEqual([]);
  });

  it('is not tried any more after an end while some of it is tried', async () => {
    const owed = new Owed((error) => error === FULL);
    const held = Promise.withResolvers<void>();
    let tried = 0;
    const fails = async () => {
      tried += 1;
      // Twice at once, and late from then on.
      if (tried > 2) await held.promise;
      throw FULL;
    };
    await owed.do(fails);
    await owed.do(fails);
    owed.retry(() => expect.unreachable());
    await vi.advanceTimersByTimeAsync(1_000);
    expect(tried).toBe(3);
    const over = vi.fn();
    const closed = owed.close().then(over);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(over).not.toHaveBeenCalled();
    held.resolve();
    await closed;
    expect(pendingTimers()).toBe(0);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(tried).toBe(3);
    expect(pendingTimers()).toBe(0);
  });
});
