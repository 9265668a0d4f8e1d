import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { groupOf, type Outcome, type Submission } from '../../../../../src/app/log/submission.ts';
import { CommandQueue } from '../../../../../src/app/write/queue/command-queue.ts';
import type { OrderId } from '../../../../../src/domain/order-id.ts';
import { runs } from '../../../../support/nightly.ts';

const LIMITS = { targetMs: 50, intervalMs: 100 };
const BUSY: Outcome = { kind: 'unavailable', cause: 'too many commands are waiting' };

/** A command that can be told from all others. */
interface Sent {
  /** Of the order; of a new order if absent. */
  readonly order?: number;
  readonly key?: string;
  readonly client?: { isGone: boolean };
  /** The orders of a group. */
  readonly orders?: readonly number[];
}

/** A queue by a clock that the test sets, with the commands by the numbers of their arrival. */
class Tested {
  nowMs = 5_000;
  readonly refused = new Map<number, { readonly atMs: number; readonly outcome: Outcome }>();
  readonly lines: (readonly [string, object])[] = [];
  readonly queue = new CommandQueue({
    limits: LIMITS,
    elapsed: () => this.nowMs,
    noticed: (message, about) => this.lines.push([message, about]),
  });
  #added = 0;

  constructor() {
    made.push(this);
  }

  add({ order = this.#added, key, client, orders }: Sent = {}): void {
    const number = this.#added++;
    const command =
      order < 0
        ? ({ type: 'PlaceNewOrder', petId: 1n, quantity: 1 } as Submission['command'])
        : ({ type: 'CancelOrder', orderId: BigInt(order) as OrderId } as const);
    const submission = { command, by: 'alice', commandId: `${number}`, idempotencyKey: key };
    const resolve = ([outcome]: readonly Outcome[]) => {
      if (this.refused.has(number)) throw new Error('answered twice');
      this.refused.set(number, { atMs: this.nowMs, outcome: outcome as Outcome });
    };
    const commands = (orders ?? []).map((each) => {
      return { type: 'CancelOrder', orderId: BigInt(each) as OrderId } as const;
    });
    const submissions = orders === undefined ? [submission] : groupOf(commands, submission, false);
    this.queue.add({ submissions, resolve, client });
  }

  addMany(count: number): void {
    for (let index = 0; index < count; index++) this.add();
  }

  take(maxCommands: number, which: 'take' | 'takeUnkeyed' = 'take'): number[] {
    return this.queue[which](maxCommands).map(({ submissions }) =>
      Number(submissions[0]?.commandId),
    );
  }

  /**
   * Leaves old commands behind for an interval, until the last one, 3, is refused.
   * @param pass Lets a time pass; by the clock alone if absent.
   */
  overload(
    pass = (forMs: number) => {
      this.nowMs += forMs;
    },
  ): void {
    this.addMany(4);
    for (const _ of [1, 2, 3]) {
      pass(LIMITS.targetMs);
      this.take(1);
    }
    expect([...this.refused.keys()]).toStrictEqual([3]);
    this.refused.clear();
  }
}

const made: Tested[] = [];

// A queue looks after waiting commands, and after an overload, until both have ended. By a clock that stands still
// that would be for as long as other tests run in this process.
afterEach(() => {
  for (const tested of made.splice(0)) {
    tested.nowMs += 10_000;
    tested.queue.take(Number.POSITIVE_INFINITY);
    tested.nowMs += 10_000;
  }
});

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => from + n);

describe('the queue before the write side', () => {
  it('is first in, first out', () => {
    const tested = new Tested();
    tested.addMany(5);
    expect(tested.take(2)).toStrictEqual([0, 1]);
    expect(tested.queue.length).toBe(3);
    expect(tested.take(9)).toStrictEqual([2, 3, 4]);
    expect(tested.take(9)).toStrictEqual([]);
    expect(tested.refused.size).toBe(0);
  });

  it('stops before a command with an idempotency key if required', () => {
    const tested = new Tested();
    for (const key of [undefined, undefined, 'k', undefined]) tested.add(key ? { key } : {});
    expect(tested.take(1, 'takeUnkeyed')).toStrictEqual([0]);
    expect(tested.take(9, 'takeUnkeyed')).toStrictEqual([1]);
    expect(tested.take(9, 'takeUnkeyed')).toStrictEqual([]);
    expect(tested.take(1)).toStrictEqual([2]);
    expect(tested.take(9, 'takeUnkeyed')).toStrictEqual([3]);
  });

  it('refuses commands at once while 16,384 wait', () => {
    const tested = new Tested();
    tested.addMany(16_386);
    expect([...tested.refused.keys()]).toStrictEqual([16_384, 16_385]);
    expect(tested.refused.get(16_385)?.outcome).toStrictEqual(BUSY);
    expect(tested.take(16_400)).toStrictEqual(range(0, 16_384));
  });

  it('drops the commands of disconnected clients, undecided', () => {
    const tested = new Tested();
    const [staying, gone] = [{ isGone: false }, { isGone: false }];
    for (const client of [staying, gone, staying, gone, staying]) tested.add({ client });
    gone.isGone = true;
    expect(tested.take(2)).toStrictEqual([0, 2]);
    expect(tested.take(2, 'takeUnkeyed')).toStrictEqual([4]);
    const dropped = { kind: 'unavailable', cause: 'the client has disconnected' };
    expect([...tested.refused]).toStrictEqual(
      [1, 3].map((number) => [number, { atMs: 5_000, outcome: dropped }]),
    );
    expect(tested.lines).toStrictEqual([]);
    expect(tested.queue.ended).toStrictEqual({ refused: 0, gone: 2 });
  });

  describe('of groups', () => {
    it('counts their commands, and takes each as a whole', () => {
      const tested = new Tested();
      tested.add();
      tested.add({ orders: [10, 11, 12] });
      tested.add();
      tested.add({ orders: [20, 21] });
      expect(tested.queue.length).toBe(7);
      expect(tested.take(3)).toStrictEqual([0]);
      // The first in any case: there is no smaller batch with it.
      expect(tested.take(1)).toStrictEqual([1]);
      expect(tested.take(2)).toStrictEqual([2]);
      expect(tested.queue.length).toBe(2);
      expect(tested.take(9)).toStrictEqual([3]);
      expect(tested.queue.length).toBe(0);
    });

    it('takes one at a time, and single commands between them', () => {
      const tested = new Tested();
      tested.add({ orders: [1, 2] });
      tested.add({ orders: [3, 4] });
      tested.add({ order: 9 });
      // On an order of a group: it does not pass.
      tested.add({ order: 3 });
      tested.add({ orders: [5, 6] });
      tested.add({ order: 10 });
      expect(tested.take(99)).toStrictEqual([0, 2, 5]);
      tested.add({ order: 11 });
      expect(tested.take(99)).toStrictEqual([6]);
      tested.add({ order: 12 });
      expect(tested.take(99)).toStrictEqual([1, 3, 7]);
      // None waits whose turn it would be.
      expect(tested.take(99)).toStrictEqual([4]);
    });

    it('takes as many as fit while there are no single commands', () => {
      const tested = new Tested();
      for (const order of [1, 3, 5, 7, 9]) tested.add({ orders: [order, order + 1] });
      expect(tested.take(5)).toStrictEqual([0, 1]);
      tested.add({ order: 99 });
      expect(tested.take(5)).toStrictEqual([5]);
      // The clients of single commands may be about to send more.
      expect(tested.take(5)).toStrictEqual([2]);
      expect(tested.take(5)).toStrictEqual([3, 4]);
    });

    it('lets none join a batch that has no room for it', () => {
      const tested = new Tested();
      tested.add({ orders: [1, 2, 3] });
      tested.add();
      expect(tested.take(2, 'takeUnkeyed')).toStrictEqual([]);
      expect(tested.take(3, 'takeUnkeyed')).toStrictEqual([0]);
      tested.add({ orders: [1, 2, 3], key: 'k' });
      expect(tested.take(9, 'takeUnkeyed')).toStrictEqual([1]);
      expect(tested.take(9, 'takeUnkeyed')).toStrictEqual([]);
      expect(tested.take(9)).toStrictEqual([2]);
    });

    it('refuses one that would be too many commands, and drops one whose client has gone', () => {
      const tested = new Tested();
      const client = { isGone: false };
      tested.addMany(16_382);
      tested.add({ orders: [1, 2, 3] });
      expect([...tested.refused.keys()]).toStrictEqual([16_382]);
      tested.add({ orders: [1, 2], client });
      expect(tested.queue.length).toBe(16_384);
      client.isGone = true;
      tested.take(1);
      expect(tested.queue.length).toBe(16_381);
      expect(tested.queue.ended).toStrictEqual({ refused: 3, gone: 2 });
    });

    it('takes the newest while it is overloaded, and groups in the order of their arrival', () => {
      const tested = new Tested();
      tested.overload();
      tested.add({ order: 1 });
      tested.add({ orders: [5, 6] });
      tested.add({ order: 6 });
      tested.add({ orders: [7, 8] });
      tested.add({ order: 2 });
      expect(tested.take(1)).toStrictEqual([8]);
      // The place of the newest group goes to the oldest.
      expect(tested.take(2)).toStrictEqual([5]);
      // The turn of the single commands.
      expect(tested.take(1)).toStrictEqual([6]);
      expect(tested.take(2)).toStrictEqual([7]);
      expect(tested.take(9)).toStrictEqual([4]);
    });

    it('lets nothing pass a group that concerns an order of it, while it is overloaded', () => {
      const tested = new Tested();
      tested.overload();
      tested.add({ order: 6 });
      tested.add({ orders: [5, 6] });
      tested.add({ order: 5 });
      expect(tested.take(1)).toStrictEqual([4]);
      expect(tested.take(1)).toStrictEqual([5]);
      expect(tested.take(1)).toStrictEqual([6]);
    });

    it('passes by a group for which a batch has no room, while it is overloaded', () => {
      const tested = new Tested();
      tested.overload();
      tested.add({ order: 1 });
      tested.add({ orders: [5, 6, 7] });
      tested.add({ order: 2 });
      expect(tested.take(2)).toStrictEqual([4, 6]);
      expect(tested.take(1)).toStrictEqual([5]);
    });

    it('refuses each as a whole, when it has waited for too long', () => {
      const tested = new Tested();
      tested.overload();
      tested.add({ orders: [5, 6, 7] });
      tested.add({ order: 8 });
      tested.nowMs += LIMITS.targetMs;
      expect(tested.take(3)).toStrictEqual([5]);
      expect([...tested.refused.keys()]).toStrictEqual([4]);
      expect(tested.queue.ended.refused).toBe(4);
      expect(tested.queue.length).toBe(0);
    });
  });

  it('counts refused commands, and knows the age of the oldest one', () => {
    const tested = new Tested();
    expect(tested.queue.ageMs).toBe(0);
    tested.overload();
    expect(tested.queue.ended).toStrictEqual({ refused: 1, gone: 0 });
    expect(tested.queue.ageMs).toBe(0);
    tested.addMany(2);
    tested.nowMs += 30;
    expect(tested.queue.ageMs).toBe(30);
  });

  it('never refuses as many commands as one batch takes, before a stall of ten intervals', () => {
    const tested = new Tested();
    tested.overload();
    tested.addMany(1_024);
    tested.nowMs += 999;
    tested.add();
    // The first one would be the 1,025th of the next batch.
    expect([...tested.refused.keys()]).toStrictEqual([4]);
    tested.nowMs += 1;
    tested.add();
    expect(tested.refused.size).toBe(1_024);
    expect(tested.take(9)).toStrictEqual([1_028, 1_029]);
  });

  it('ends every wait after ten intervals, even without an overload before', () => {
    const tested = new Tested();
    tested.add();
    tested.nowMs += 900;
    tested.addMany(2);
    tested.nowMs += 100;
    tested.add();
    // The stall may last, so those behind it that are older than the target have no better prospects.
    expect([...tested.refused.keys()]).toStrictEqual([0, 1, 2]);
    expect(tested.take(9)).toStrictEqual([3]);
  });

  it('refuses commands after the target while a stall lasts, and lets them wait again when it has ended', () => {
    const tested = new Tested();
    tested.add();
    tested.nowMs += 1_000;
    tested.add();
    tested.nowMs += 49;
    tested.add();
    expect([...tested.refused.keys()]).toStrictEqual([0]);
    tested.nowMs += 1;
    tested.add();
    expect([...tested.refused.keys()]).toStrictEqual([0, 1]);
    expect(tested.take(1)).toStrictEqual([3]);
    tested.nowMs += 900;
    tested.add();
    expect([...tested.refused.keys()]).toStrictEqual([0, 1]);
    expect(tested.take(2)).toStrictEqual([2, 4]);
  });

  describe('in an overload', () => {
    it('takes the newest, in the order of arrival, and refuses the remaining old ones', () => {
      const tested = new Tested();
      tested.overload();
      tested.addMany(3);
      tested.nowMs += 49;
      tested.addMany(3);
      expect(tested.take(2)).toStrictEqual([8, 9]);
      expect(tested.refused.size).toBe(0);
      tested.nowMs += 1;
      expect(tested.take(2)).toStrictEqual([6, 7]);
      expect([...tested.refused.keys()]).toStrictEqual([4, 5]);
    });

    it('takes the commands on one order, and those under one key, in their order', () => {
      const tested = new Tested();
      tested.overload();
      tested.add({ order: 70 });
      tested.add({ order: -1, key: 'k' });
      tested.add({ order: 71 });
      tested.add({ order: 70 });
      tested.add({ order: -1, key: 'k' });
      tested.add({ order: 70 });
      tested.add({ order: -1 });
      // 10, and the first on order 70 in the place of 9.
      expect(tested.take(2)).toStrictEqual([4, 10]);
      expect(tested.take(2)).toStrictEqual([5, 7]);
      expect(tested.take(9)).toStrictEqual([6, 8, 9]);
    });

    it('lets none overtake a command on the same order that has a key', () => {
      const tested = new Tested();
      tested.overload();
      tested.add({ order: 70 });
      tested.add({ order: 70, key: 'k' });
      tested.add({ order: 70 });
      tested.add({ order: 71, key: 'k' });
      tested.add({ order: 72 });
      expect(tested.take(9, 'takeUnkeyed')).toStrictEqual([4, 8]);
      expect(tested.take(9)).toStrictEqual([5, 6, 7]);
    });

    it('writes a line when the first command is refused, and one after the last', async () => {
      const tested = new Tested();
      tested.overload();
      tested.addMany(3);
      tested.nowMs += 60;
      tested.take(1);
      tested.addMany(1);
      tested.nowMs += 60;
      tested.take(0);
      expect(tested.refused.size).toBe(3);
      const begun = ['overloaded: commands are refused', { waiting: 0, targetMs: 50 }];
      expect(tested.lines).toStrictEqual([begun]);
      tested.nowMs += 1_000;
      await expect.poll(() => tested.lines.length).toBe(2);
      expect(tested.lines[1]).toStrictEqual([
        'no longer overloaded: commands are taken again',
        { refused: 4, durationMs: 120 },
      ]);
    });
  });

  it('refuses by a timer, even if nothing else happens', async () => {
    const limits = { targetMs: 5, intervalMs: 5 };
    const queue = new CommandQueue({ limits });
    const outcomes = new Promise<readonly Outcome[]>((resolve) => {
      const command = { type: 'CancelOrder', orderId: 1n as OrderId } as const;
      queue.add({ submissions: [{ command, by: 'alice', commandId: '1' }], resolve });
    });
    expect(await outcomes).toStrictEqual([BUSY]);
    expect(queue.length).toBe(0);
  });

  describe('looks at the ages between batches', () => {
    beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
    afterEach(() => void vi.useRealTimers());

    /** Lets the timers run for a time, a millisecond at a time. */
    function pass(tested: Tested, forMs: number): void {
      for (let ms = 0; ms < forMs; ms++) {
        tested.nowMs += 1;
        vi.advanceTimersByTime(1);
      }
    }

    it('for as long as a command waits, with one timer', () => {
      const tested = new Tested();
      tested.addMany(3);
      expect(vi.getTimerCount()).toBe(1);
      pass(tested, LIMITS.intervalMs);
      expect(vi.getTimerCount()).toBe(1);
      tested.take(3);
      pass(tested, LIMITS.intervalMs);
      expect(vi.getTimerCount()).toBe(0);
      tested.add();
      expect(vi.getTimerCount()).toBe(1);
      expect(tested.lines).toStrictEqual([]);
    });

    it('without taking the queue for empty while a command waits', () => {
      const tested = new Tested();
      tested.overload((forMs) => pass(tested, forMs));
      expect(tested.lines).toHaveLength(1);
    });

    it('every interval before an overload, and five times in the time of the target during one', () => {
      const tested = new Tested();
      const begunMs = tested.nowMs;
      tested.add();
      pass(tested, 1_099);
      expect(tested.refused.get(0)?.atMs).toBe(begunMs + 1_000);
      // The look that found the stall is followed by those of an overload: at 1,010, 1,020 and so on.
      tested.nowMs = begunMs + 1_103;
      tested.add();
      const addedMs = tested.nowMs;
      pass(tested, 100);
      expect(tested.refused.get(1)?.atMs).toBeGreaterThanOrEqual(addedMs + LIMITS.targetMs);
      expect(tested.refused.get(1)?.atMs).toBeLessThanOrEqual(addedMs + LIMITS.targetMs + 10);
    });

    it('without ending an overload in which a batch is long in coming', () => {
      const tested = new Tested();
      tested.overload((forMs) => pass(tested, forMs));
      tested.add();
      pass(tested, 5 * LIMITS.intervalMs);
      expect(tested.lines).toHaveLength(1);
      expect(tested.take(1)).toStrictEqual([4]);
      pass(tested, LIMITS.intervalMs);
      expect(tested.lines).toHaveLength(2);
      pass(tested, LIMITS.intervalMs);
      expect(vi.getTimerCount()).toBe(0);
    });
  });

  it('takes nothing for a batch that has no room', () => {
    const tested = new Tested();
    tested.addMany(2);
    expect(tested.take(0)).toStrictEqual([]);
    expect(tested.take(0, 'takeUnkeyed')).toStrictEqual([]);
    expect(tested.queue.length).toBe(2);
  });

  it('keeps the order of commands with one subject, and the turns of groups, in any sequence of steps', () => {
    const order = fc.integer({ min: -1, max: 6 });
    const step = fc.oneof(
      { weight: 6, arbitrary: fc.record({ order }) },
      { weight: 2, arbitrary: fc.record({ orders: fc.uniqueArray(fc.nat(6), { minLength: 2 }) }) },
      { weight: 2, arbitrary: fc.record({ laterMs: fc.integer({ min: 1, max: 80 }) }) },
      {
        weight: 2,
        arbitrary: fc.record({
          take: fc.integer({ min: 0, max: 4 }),
          which: fc.constantFrom('take' as const, 'takeUnkeyed' as const),
        }),
      },
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200, size: 'max' }), (steps) => {
        const tested = new Tested();
        const subjects: (readonly number[])[] = [];
        const lastOf = new Map<number, number>();
        const sizeOf = (numbers: Iterable<number>) =>
          [...numbers].reduce((sum, number) => sum + (subjects[number] as []).length, 0);
        const done: number[] = [];
        let [hadGroup, hadSingles] = [false, false];
        const isGroup = (number: number) => (subjects[number] as []).length > 1;
        const waiting = () => {
          const ended = new Set([...done, ...tested.refused.keys()]);
          return [...subjects.keys()].filter((number) => !ended.has(number));
        };
        for (const each of steps) {
          const isKeyed = subjects.length % 3 === 0;
          const key = isKeyed ? { key: 'k' } : {};
          if ('order' in each) {
            tested.add({ order: each.order, ...(each.order < 0 ? { key: 'k' } : key) });
            subjects.push([each.order]);
          } else if ('orders' in each) {
            tested.add({ orders: each.orders, ...key });
            subjects.push(each.orders);
          } else if ('laterMs' in each) tested.nowMs += each.laterMs;
          else {
            const inGroups = new Set(
              waiting()
                .filter(isGroup)
                .flatMap((number) => subjects[number]),
            );
            const areFree = waiting().some((number) => !inGroups.has(subjects[number]?.[0]));
            const numbers = tested.take(each.take, each.which);
            const groups = numbers.filter(isGroup).length;
            const maxGroups = areFree || hadSingles ? 1 : Number.POSITIVE_INFINITY;
            expect(groups).toBeLessThanOrEqual(hadGroup && areFree ? 0 : maxGroups);
            if (numbers.length > 0) {
              hadGroup = groups > 0;
              hadSingles = groups < numbers.length;
            }
            const isNone = numbers.length === 0 && each.take > 0 && each.which === 'take';
            if (isNone) expect(waiting()).toStrictEqual([]);
            if (numbers.length > 1) expect(sizeOf(numbers)).toBeLessThanOrEqual(each.take);
            expect(numbers).toStrictEqual(numbers.toSorted((a, b) => a - b));
            done.push(...numbers);
            for (const number of numbers) {
              for (const subject of subjects[number] as readonly number[]) {
                expect(number).toBeGreaterThan(lastOf.get(subject) ?? -1);
                lastOf.set(subject, number);
              }
            }
          }
        }
        const ended = [...done, ...tested.refused.keys()];
        expect(new Set(ended).size).toBe(ended.length);
        expect(sizeOf(ended) + tested.queue.length).toBe(sizeOf(subjects.keys()));
      }),
      { numRuns: runs(300) },
    );
  });
});

/** The latencies, but for the first eighth, and the rates of an open loop before a log that records a batch in a constant time. */
function simulate({ perMs, batchMs, forMs }: Record<'perMs' | 'batchMs' | 'forMs', number>) {
  const tested = new Tested();
  const arrivedMs: number[] = [];
  const latencies: number[] = [];
  let inFlight: number[] = [];
  let longest = 0;
  const begunMs = tested.nowMs;
  for (let tick = 0; tick < forMs; tick++) {
    tested.nowMs = begunMs + tick;
    for (let each = 0; each < perMs; each++) {
      arrivedMs.push(tested.nowMs);
      tested.add();
    }
    longest = Math.max(longest, tested.queue.length);
    if (tick % batchMs === 0) {
      latencies.push(...inFlight.map((number) => tested.nowMs - (arrivedMs[number] as number)));
      inFlight = tested.take(1_024);
    }
  }
  const refusals = [...tested.refused].map(([number, { atMs }]) => atMs - (arrivedMs[number] ?? 0));
  const p99 = (of: number[]) => {
    const settled = of.slice(of.length >> 3).toSorted((a, b) => a - b);
    return settled[Math.floor(settled.length * 0.99)] ?? 0;
  };
  const capacity = Math.floor((forMs / batchMs) * 1_024);
  const share = latencies.length / Math.min(capacity, perMs * forMs);
  return {
    share,
    acceptedMs: p99(latencies),
    refusedMs: p99(refusals),
    longest,
    tested,
  };
}

describe('the queue in an open loop', () => {
  it.each([
    // Batches of 1,024 commands in so many milliseconds, by their multiple of arrivals.
    { batchMs: 64, perMs: 160, acceptedMs: 128 },
    { batchMs: 128, perMs: 80, acceptedMs: 250 },
  ])('serves at ten times the capacity ($batchMs ms)', ({ batchMs, perMs, acceptedMs }) => {
    const seen = simulate({ perMs, batchMs, forMs: 3_000 });
    // The last batch is in flight at the end.
    expect(seen.share).toBeGreaterThan(0.9);
    expect(seen.acceptedMs).toBeLessThanOrEqual(acceptedMs);
    expect(seen.refusedMs).toBeLessThanOrEqual(LIMITS.targetMs + 1);
    expect(seen.longest).toBeLessThanOrEqual(16_384);
    expect(seen.tested.lines.length).toBe(1);
  });

  it.each([
    { of: 'half the capacity', batchMs: 64, perMs: 8 },
    { of: 'the capacity', batchMs: 64, perMs: 16 },
    { of: 'half the capacity, on a disk that takes 400 ms', batchMs: 400, perMs: 1 },
  ])('refuses nothing at $of', ({ batchMs, perMs }) => {
    const { tested, share } = simulate({ perMs, batchMs, forMs: 6_000 });
    expect(tested.refused.size).toBe(0);
    expect(share).toBeGreaterThan(0.85);
  });

  it('refuses the surplus alone a little above the capacity', () => {
    const { tested, share, acceptedMs } = simulate({ perMs: 20, batchMs: 64, forMs: 6_000 });
    expect(share).toBeGreaterThan(0.95);
    expect(acceptedMs).toBeLessThanOrEqual(250);
    expect(tested.refused.size).toBeGreaterThan(0);
    expect(tested.refused.size).toBeLessThan(6_000 * 5);
  });
});
