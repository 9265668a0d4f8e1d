import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KeyLimiter } from '../../../../src/app/keys/key-limiter.ts';
import type { ApiKey, KeyLimits } from '../../../../src/app/ports/key-store.ts';
import { NOON } from '../../../support/events.ts';
import { clockAt } from '../../../support/test-clock.ts';

function keyWith(limits?: KeyLimits, id = 'AbCdEfGh01'): ApiKey {
  const key = { id, name: 'a', hash: Buffer.alloc(32), scopes: [], createdAt: NOON };
  return limits === undefined ? key : { ...key, limits };
}

function given(streamsPerKey = 2, maxKeys?: number) {
  const clock = clockAt('2026-01-01T12:00:00.000Z');
  return { clock, limiter: new KeyLimiter(streamsPerKey, clock.elapsed, maxKeys) };
}

const perSecond = (requests: number, burst = requests) => ({
  rate: { requests, seconds: 1, burst },
});

describe('a key with a rate', () => {
  it('has its burst at once, and its rate from then on', () => {
    const { clock, limiter } = given();
    const key = keyWith({ rate: { requests: 120, seconds: 60, burst: 3 } });
    const kinds = () => [1, 2, 3, 4].map(() => limiter.enter(key).kind);
    expect(kinds()).toStrictEqual(['admitted', 'admitted', 'admitted', 'too_fast']);
    clock.pass(1_000);
    expect(kinds()).toStrictEqual(['admitted', 'admitted', 'too_fast', 'too_fast']);
  });

  it('is shown what is left, and after how many seconds there is more', () => {
    const { clock, limiter } = given();
    const rate = { requests: 6, seconds: 60, burst: 2 };
    const quota = () => limiter.enter(keyWith({ rate })).quota;
    expect(quota()).toMatchObject({ rate, remaining: 1, moreInS: 10 });
    expect(quota()).toMatchObject({ remaining: 0, moreInS: 10 });
    clock.pass(2_500);
    expect(quota()).toMatchObject({ remaining: 0, moreInS: 8 });
    clock.pass(7_500);
    expect(quota()).toMatchObject({ remaining: 0, moreInS: 10 });
  });

  it('is charged for further commands of a request, for all of them or for none', () => {
    const { clock, limiter } = given();
    const key = keyWith(perSecond(1, 5));
    limiter.enter(key);
    expect(limiter.takeMore(key, 3)).toMatchObject({ isTaken: true, remaining: 1, moreInS: 1 });
    limiter.enter(key);
    expect(limiter.takeMore(key, 3)).toMatchObject({ isTaken: false, remaining: 1, moreInS: 3 });
    clock.pass(3_000);
    limiter.enter(key);
    expect(limiter.takeMore(key, 3)).toMatchObject({ isTaken: true, remaining: 0 });
    expect(limiter.takeMore(keyWith({}), 3)).toBeUndefined();
    expect(limiter.takeMore(keyWith(), 3)).toBeUndefined();
  });

  it('is not charged for a request with more commands than its burst', () => {
    const { limiter } = given();
    const key = keyWith(perSecond(1, 5));
    limiter.enter(key);
    expect(limiter.takeMore(key, 5)).toMatchObject({ isTaken: false, remaining: 5, moreInS: 1 });
    limiter.enter(key);
    expect(limiter.takeMore(key, 4)).toMatchObject({ isTaken: true, remaining: 0 });
  });

  it('has the new rate from the next request on, and no more than the new burst', () => {
    const { clock, limiter } = given();
    expect(limiter.enter(keyWith(perSecond(1, 100))).quota?.remaining).toBe(99);
    expect(limiter.enter(keyWith(perSecond(1, 5))).quota?.remaining).toBe(4);
    expect(limiter.enter(keyWith(perSecond(1, 100))).quota?.remaining).toBe(3);
    clock.pass(1_000);
    expect(limiter.enter(keyWith(perSecond(50, 100))).quota?.remaining).toBe(52);
  });

  it('has a full bucket when it gets a rate again', () => {
    const { limiter } = given();
    limiter.enter(keyWith(perSecond(1)));
    expect(limiter.enter(keyWith(perSecond(1))).kind).toBe('too_fast');
    expect(limiter.enter(keyWith({ concurrent: 1 }))).not.toHaveProperty('quota');
    expect(limiter.enter(keyWith(perSecond(1))).kind).toBe('admitted');
  });

  it('takes nothing from another key', () => {
    const { limiter } = given();
    limiter.enter(keyWith(perSecond(1)));
    expect(limiter.enter(keyWith(perSecond(1))).kind).toBe('too_fast');
    expect(limiter.enter(keyWith(perSecond(1), 'other')).kind).toBe('admitted');
  });

  it('is admitted no more than burst + rate × time over any stretch of any schedule', () => {
    const rates = fc.record({
      requests: fc.integer({ min: 1, max: 50 }),
      seconds: fc.constantFrom(1, 60, 3_600),
      burst: fc.integer({ min: 1, max: 20 }),
    });
    const waits = fc.array(fc.oneof(fc.constant(0), fc.nat({ max: 200_000 })), { maxLength: 100 });
    fc.assert(
      fc.property(rates, waits, (rate, schedule) => {
        const { clock, limiter } = given();
        const admitted: number[] = [];
        for (const wait of schedule) {
          clock.pass(wait);
          if (limiter.enter(keyWith({ rate })).kind === 'admitted') admitted.push(clock.elapsed());
        }
        for (const [first, from] of admitted.entries()) {
          for (const [others, to] of admitted.slice(first).entries()) {
            const most = rate.burst + ((to - from) / 1_000) * (rate.requests / rate.seconds);
            expect(others + 1).toBeLessThanOrEqual(most + 1e-6);
          }
        }
      }),
    );
  });

  it('is admitted when it has waited as told, whatever it did before', () => {
    const rates = fc.record({
      requests: fc.integer({ min: 1, max: 999_999 }),
      seconds: fc.constantFrom(1, 60, 3_600),
      burst: fc.integer({ min: 1, max: 3 }),
    });
    const waits = fc.array(fc.nat({ max: 10_000 }), { maxLength: 20 });
    fc.assert(
      fc.property(rates, waits, (rate, schedule) => {
        const { clock, limiter } = given();
        const enter = () => limiter.enter(keyWith({ rate }));
        for (const wait of schedule) {
          clock.pass(wait);
          const { remaining = 0, moreInS = 0 } = enter().quota ?? {};
          // It uses what is left at once, and one more after the time that it was told.
          for (let n = 0; n < remaining; n++) expect(enter().kind).toBe('admitted');
          clock.pass(moreInS * 1_000);
          expect(enter().kind).toBe('admitted');
        }
      }),
    );
  });

  /** Sends a request of some commands. Returns the quota that it is shown. */
  function send(limiter: KeyLimiter, key: ApiKey, commands: number) {
    const entry = limiter.enter(key);
    const isCounted = entry.kind === 'admitted';
    if (isCounted) entry.leave();
    const quota = isCounted ? limiter.takeMore(key, commands - 1) : entry.quota;
    return { isTaken: false, moreInS: 0, ...quota, isCounted };
  }

  it('gets a request of many commands through when it has waited as told, whatever it did before', () => {
    const rates = fc.record({
      requests: fc.integer({ min: 1, max: 999_999 }),
      seconds: fc.constantFrom(1, 60, 3_600),
      burst: fc.integer({ min: 1, max: 500 }),
    });
    const requests = fc.array(fc.record({ wait: fc.nat(10_000), commands: fc.nat(499) }));
    fc.assert(
      fc.property(rates, requests, (rate, schedule) => {
        const { clock, limiter } = given();
        const key = keyWith({ rate });
        for (const { wait, commands } of schedule) {
          clock.pass(wait);
          const attempt = () => send(limiter, key, 1 + (commands % rate.burst));
          let answer = attempt();
          // Where there is not even one token, its commands are not counted yet.
          if (!answer.isCounted) {
            clock.pass(answer.moreInS * 1_000);
            answer = attempt();
            expect(answer.isCounted).toBe(true);
          }
          if (answer.isTaken) continue;
          clock.pass(answer.moreInS * 1_000);
          expect(attempt().isTaken).toBe(true);
        }
      }),
    );
  });

  it('has the same quota after refused requests as without them', () => {
    // Times that add up exactly.
    const waits = fc.nat(80).map((eighths) => eighths * 125);
    const requests = fc.array(
      fc.record({ wait: waits, commands: fc.integer({ min: 1, max: 12 }) }),
    );
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10 }), requests, (burst, schedule) => {
        const { clock, limiter } = given();
        const spared = new KeyLimiter(1, clock.elapsed);
        const key = keyWith(perSecond(2, burst));
        for (const { wait, commands } of schedule) {
          clock.pass(wait);
          const quota = send(limiter, key, commands);
          if (quota.isTaken) expect(quota).toStrictEqual(send(spared, key, commands));
        }
      }),
    );
  });
});

describe('a key with a limit of concurrent requests', () => {
  it('has no more than that under way, and another when one has left', () => {
    const { limiter } = given();
    const key = keyWith({ concurrent: 2 });
    const first = limiter.enter(key);
    limiter.enter(key);
    expect(limiter.enter(key)).toStrictEqual({ kind: 'too_many' });
    if (first.kind !== 'admitted') throw new Error('not admitted');
    first.leave();
    first.leave();
    expect(limiter.enter(key).kind).toBe('admitted');
    expect(limiter.enter(key).kind).toBe('too_many');
  });

  it('is shown its rate with each answer', () => {
    const { limiter } = given();
    const key = keyWith({ concurrent: 1, ...perSecond(5) });
    limiter.enter(key);
    expect(limiter.enter(key)).toMatchObject({ kind: 'too_many', quota: { remaining: 3 } });
  });
});

describe('the event streams of a key', () => {
  it('are as many as its limit says, or else as those of every key', () => {
    const { limiter } = given(2);
    for (const [limits, most] of [
      [undefined, 2],
      [{ concurrent: 1 }, 2],
      [{ streams: 3 }, 3],
    ] as const) {
      const key = keyWith(limits);
      const ends = Array.from({ length: most }, () => limiter.openStream(key));
      expect(limiter.openStream(key)).toBeUndefined();
      expect(limiter.openStream(keyWith(limits, 'other'))).toBeDefined();
      ends[0]?.();
      ends[0]?.();
      ends[0] = limiter.openStream(key);
      expect(limiter.openStream(key)).toBeUndefined();
      for (const end of ends) end?.();
    }
  });

  it('count from before it had a limit', () => {
    const { limiter } = given(2);
    limiter.openStream(keyWith());
    expect(limiter.openStream(keyWith({ streams: 1 }))).toBeUndefined();
  });
});

describe('the memory of a limiter', () => {
  it('has no key of which nothing is under way and that has no rate', () => {
    const { limiter } = given();
    const entry = limiter.enter(keyWith({ concurrent: 1 }));
    const end = limiter.openStream(keyWith());
    expect(limiter.size).toBe(1);
    if (entry.kind === 'admitted') entry.leave();
    expect(limiter.size).toBe(1);
    end?.();
    expect(limiter.size).toBe(0);
  });

  it('has no key whose request has outlived its stream', () => {
    const { limiter } = given();
    const entry = limiter.enter(keyWith());
    limiter.openStream(keyWith())?.();
    expect(limiter.size).toBe(1);
    if (entry.kind === 'admitted') entry.leave();
    expect(limiter.size).toBe(0);
  });

  it('has no more keys than it may, but for those of which something is under way', () => {
    const { limiter } = given(2, 3);
    const leave = (id: string) => {
      const entry = limiter.enter(keyWith(perSecond(1), id));
      if (entry.kind === 'admitted') entry.leave();
    };
    limiter.enter(keyWith(perSecond(1), 'busy'));
    limiter.openStream(keyWith(undefined, 'stream'));
    for (let n = 0; n < 100; n++) {
      leave(`key ${n}`);
      expect(limiter.size).toBeLessThanOrEqual(3);
    }
    expect(limiter.enter(keyWith(perSecond(1), 'busy')).kind).toBe('too_fast');
    const open = () => limiter.openStream(keyWith(undefined, 'stream')) !== undefined;
    expect([open(), open()]).toStrictEqual([true, false]);
  });
});

it('uses the monotonic clock by default', () => {
  const limiter = new KeyLimiter(1);
  const key = keyWith({ rate: { requests: 1, seconds: 3_600, burst: 1 } });
  expect(limiter.enter(key).kind).toBe('admitted');
  expect(limiter.enter(key).quota?.moreInS).toBe(3_600);
});
