import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Bulkhead, type Permit } from '../../../../src/app/read/bulkhead.ts';
import { fakeTimersOf } from '../../../support/own-timers.ts';

const WAIT_MS = 1_000;
const HERE = { isGone: false };

/** Two permits, and reads that note, in the order in which it happens, what becomes of them. */
class Tested {
  /** Resolved when commands have had their turn. */
  readonly commands = Promise.withResolvers<void>();
  readonly admitted: number[] = [];
  readonly refused: number[] = [];
  readonly permits: Permit[] = [];
  readonly bulkhead = new Bulkhead(
    { maxReads: 2, maxWaitMs: WAIT_MS },
    () => this.commands.promise,
  );
  #entered = 0;

  enter(client = HERE): void {
    const number = this.#entered++;
    void this.bulkhead.enter(client).then((permit) => {
      (permit === undefined ? this.refused : this.admitted).push(number);
      if (permit !== undefined) this.permits[number] = permit;
    });
  }

  leave(number: number): void {
    this.permits[number]?.release();
  }

  get counts(): readonly [underWay: number, waiting: number] {
    return [this.bulkhead.underWay, this.bulkhead.waiting];
  }
}

/** Gives everything but timers a few turns. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
}

describe('A bulkhead', () => {
  beforeEach(() => void fakeTimersOf('src/app/read/bulkhead.ts'));
  afterEach(() => void vi.useRealTimers());

  it('admits as many reads at once as it has permits, and the next when one leaves', async () => {
    const tested = new Tested();
    tested.commands.resolve();
    for (const _ of 'abcd') tested.enter();
    await turns();
    expect(tested.admitted).toStrictEqual([0, 1]);
    expect(tested.counts).toStrictEqual([2, 2]);
    tested.leave(1);
    await turns();
    expect(tested.admitted).toStrictEqual([0, 1, 2]);
    expect(tested.counts).toStrictEqual([2, 1]);
  });

  it('is not left twice by one read', async () => {
    const tested = new Tested();
    tested.commands.resolve();
    for (const _ of 'abcd') tested.enter();
    await turns();
    tested.leave(0);
    tested.leave(0);
    await turns();
    expect(tested.admitted).toStrictEqual([0, 1, 2]);
    expect(tested.counts).toStrictEqual([2, 1]);
  });

  it('has its permits free again when nobody waits', async () => {
    const tested = new Tested();
    tested.enter();
    await turns();
    tested.leave(0);
    expect(tested.counts).toStrictEqual([0, 0]);
  });

  it('refuses a read that has waited for too long, which then takes no permit', async () => {
    const tested = new Tested();
    tested.commands.resolve();
    for (const _ of 'abc') tested.enter();
    await vi.advanceTimersByTimeAsync(WAIT_MS - 1);
    expect(tested.refused).toStrictEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(tested.refused).toStrictEqual([2]);
    tested.leave(0);
    await turns();
    expect(tested.counts).toStrictEqual([1, 0]);
  });

  it('does not refuse a read that was admitted in time, however long that takes', async () => {
    const tested = new Tested();
    tested.commands.resolve();
    for (const _ of 'abc') tested.enter();
    await turns();
    tested.leave(0);
    await vi.advanceTimersByTimeAsync(10 * WAIT_MS);
    await turns();
    expect(tested.admitted).toStrictEqual([0, 1, 2]);
    expect(tested.refused).toStrictEqual([]);
  });

  it('does not refuse a read whose turn has come, however long the batch in flight takes', async () => {
    const tested = new Tested();
    for (const _ of 'abc') tested.enter();
    await turns();
    tested.leave(0);
    await vi.advanceTimersByTimeAsync(10 * WAIT_MS);
    expect(tested.admitted).toStrictEqual([0, 1]);
    expect(tested.refused).toStrictEqual([]);
    tested.commands.resolve();
    await turns();
    expect(tested.admitted).toStrictEqual([0, 1, 2]);
  });

  it('gives no permit to those whose clients have gone while they waited', async () => {
    const tested = new Tested();
    tested.commands.resolve();
    const client = { isGone: false };
    tested.enter();
    tested.enter();
    tested.enter(client);
    tested.enter(client);
    tested.enter();
    client.isGone = true;
    await turns();
    tested.leave(0);
    await turns();
    expect(tested.admitted).toStrictEqual([0, 1, 4]);
    expect(tested.refused).toStrictEqual([2, 3]);
    expect(tested.counts).toStrictEqual([2, 0]);
  });

  it('lets commands have their turn before a read that has waited, whose permit is kept', async () => {
    const tested = new Tested();
    for (const _ of 'abc') tested.enter();
    await turns();
    tested.leave(0);
    tested.enter();
    await turns();
    expect(tested.admitted).toStrictEqual([0, 1]);
    expect(tested.counts).toStrictEqual([2, 1]);
    tested.commands.resolve();
    await turns();
    expect(tested.admitted).toStrictEqual([0, 1, 2]);
  });
});
