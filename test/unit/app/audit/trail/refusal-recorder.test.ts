import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { RefusalRecorder } from '../../../../../src/app/audit/trail/refusal-recorder.ts';
import type { RefusalRecord } from '../../../../../src/app/ports/refusal-trail.ts';
import { MemoryRefusals } from '../../../../../src/infra/memory/refusals.ts';
import { NOON } from '../../../../support/events.ts';
import { fakeTimersOf } from '../../../../support/own-timers.ts';
import { clockAt } from '../../../../support/test-clock.ts';

const attempt = (requestId: string, code = 'order_already_shipped', keyId = 'abcdefghij') => {
  return { code, keyId, method: 'DELETE', path: '/v1/store/orders/7', requestId };
};

/** A trail whose disk is full, for as long as it is told. */
class FullTrail extends MemoryRefusals {
  isFull = true;

  override async append(records: readonly RefusalRecord[]): Promise<void> {
    if (this.isFull) throw new Error('the disk is full');
    await super.append(records);
  }
}

function given(trail = new MemoryRefusals()) {
  const failures: unknown[] = [];
  const failed = (error: unknown) => void failures.push(error);
  const clock = clockAt(NOON);
  const recorder = new RefusalRecorder(trail, failed, clock);
  const kept = async () => (await trail.newest(1_000)).map(({ record }) => record);
  return { trail, recorder, failures, clock, kept };
}

beforeEach(() => void fakeTimersOf('src/app/audit/trail/refusal-recorder.ts', ['Date']));
afterEach(() => void vi.useRealTimers());

describe('what was refused', () => {
  it('is recorded a second later, with the time at which it was refused, all at once', async () => {
    const { trail, recorder, clock, kept } = given();
    const append = vi.spyOn(trail, 'append');
    recorder.note(attempt('a'));
    clock.pass(400);
    recorder.note(attempt('b', 'unauthorized'));
    clock.pass(1);
    recorder.note(attempt('c'));
    await vi.advanceTimersByTimeAsync(999);
    expect(await kept()).toStrictEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(await kept()).toStrictEqual([
      { at: NOON, ...attempt('a') },
      { at: '2026-01-01T12:00:00.400Z', ...attempt('b', 'unauthorized') },
      { at: '2026-01-01T12:00:00.401Z', ...attempt('c') },
    ]);
    expect(append).toHaveBeenCalledTimes(1);
    recorder.note(attempt('d'));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await kept()).toHaveLength(4);
  });

  it('is recorded at once at a stop, and nothing is recorded twice', async () => {
    const { trail, recorder, kept } = given();
    const append = vi.spyOn(trail, 'append');
    recorder.note(attempt('a'));
    await recorder.flush();
    expect(await kept()).toHaveLength(1);
    await recorder.flush();
    await vi.advanceTimersByTimeAsync(2_000);
    expect(append).toHaveBeenCalledTimes(1);
  });

  it('waits for its own second, whatever was recorded before', async () => {
    const { recorder, kept } = given();
    recorder.note(attempt('a'));
    await recorder.flush();
    await vi.advanceTimersByTimeAsync(500);
    recorder.note(attempt('b'));
    await vi.advanceTimersByTimeAsync(999);
    expect(await kept()).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(await kept()).toHaveLength(2);
  });

  it('is only counted beyond a rate, and clients without a key do not use up the rate of the others', async () => {
    const { recorder, kept } = given();
    // Each with an id that is made up: they are one.
    for (let n = 0; n < 500; n++) recorder.note(attempt(`stranger ${n}`, 'unauthorized', `${n}`));
    for (let n = 0; n < 500; n++) recorder.note(attempt(`known ${n}`));
    for (let n = 0; n < 500; n++) recorder.note(attempt(`other ${n}`, 'order_exists', 'other'));
    const { keyId: _, ...keyless } = attempt('keyless');
    recorder.note(keyless);
    await recorder.flush();
    const records = await kept();
    expect(records).toHaveLength(1_000);
    recorder.note(attempt('one more', 'unauthorized'));
    await recorder.flush();
    expect((await kept()).at(-1)).toStrictEqual({ at: NOON, leftOut: 1 });
    for (let n = 0; n < 3; n++) recorder.note(attempt(`known ${n}`));
    await recorder.flush();
    expect((await kept()).at(-1)).toStrictEqual({ at: NOON, leftOut: 3 });
  });

  it('is counted once a minute, however many there are, and recorded one by one again later', async () => {
    const { recorder, clock, trail } = given();
    const append = vi.spyOn(trail, 'append');
    for (let second = 0; second < 600; second++) {
      for (let n = 0; n < 100; n++) recorder.note(attempt('x', 'unauthorized'));
      clock.pass(1_000);
      await vi.advanceTimersByTimeAsync(1_000);
    }
    const records = append.mock.calls.flatMap(([some]) => some);
    const counts = records.flatMap((record) => ('leftOut' in record ? [record.leftOut] : []));
    expect(counts.length).toBeLessThanOrEqual(10);
    const told = records.length - counts.length;
    expect(told).toBe(100 + 9);
    await recorder.flush();
    const last = append.mock.calls.at(-1)?.[0].at(-1) as { leftOut: number };
    const inTheEnd = counts.length === 10 ? 0 : last.leftOut;
    expect(told + counts.reduce((sum, count) => sum + count, inTheEnd)).toBe(60_000);
  });

  it('is recorded beyond the last year that can be written', async () => {
    const { recorder, clock, kept } = given();
    clock.step(9_000 * 365 * 86_400_000);
    recorder.note(attempt('a'));
    await recorder.flush();
    expect(await kept()).toStrictEqual([{ at: '9999-12-31T23:59:59.999Z', ...attempt('a') }]);
  });

  it('is reported if it cannot be recorded, and later ones are recorded', async () => {
    const trail = new FullTrail();
    const { recorder, failures, kept } = given(trail);
    recorder.note(attempt('a'));
    await recorder.flush();
    expect(failures).toStrictEqual([new Error('the disk is full')]);
    trail.isFull = false;
    recorder.note(attempt('b'));
    await recorder.flush();
    expect(await kept()).toStrictEqual([{ at: NOON, ...attempt('b') }]);
    expect(failures).toHaveLength(1);
  });

  it("uses the service's clock by default", async () => {
    const trail = new MemoryRefusals();
    vi.setSystemTime(NOON);
    const recorder = new RefusalRecorder(trail, () => {});
    recorder.note(attempt('a'));
    await recorder.flush();
    expect((await trail.newest(1))[0]?.record).toStrictEqual({ at: NOON, ...attempt('a') });
  });
});
