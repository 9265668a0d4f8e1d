import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { PackedList } from '../../../../src/app/log/packed-fold.ts';
import type { Snapshots } from '../../../../src/app/ports/snapshots.ts';
import { SnapshotKeeper } from '../../../../src/app/read/snapshot-keeper.ts';
import { OrderList } from '../../../../src/app/state/order-list.ts';
import { placed, recorded } from '../../../support/events.ts';
import { fakeTimersOf } from '../../../support/own-timers.ts';

const EVENTS = recorded(...[1n, 2n, 3n, 4n, 5n, 6n].map((id) => placed(id)));
const EVERY_MS = 1_000;

/** Saves and renews one snapshot at a time, each once it is told to go on. */
class SlowSnapshots implements Snapshots {
  readonly made: string[] = [];
  readonly list = new OrderList(() => undefined);
  under = 0;
  failsWith: Error | undefined;
  #goOn: (() => void)[] = [];

  async load() {
    return { kind: 'none', reason: 'there is none' } as const;
  }

  async save({ image }: PackedList): Promise<void> {
    await this.#make(`saved ${image.position}`);
  }

  async renew(signal: AbortSignal): Promise<number> {
    const { position } = this.list;
    await this.#make(`renewed ${position}`, signal);
    return position;
  }

  async #make(what: string, signal?: AbortSignal): Promise<void> {
    this.under += 1;
    expect(this.under).toBe(1);
    try {
      await new Promise<void>((resolve, reject) => {
        this.#goOn.push(resolve);
        signal?.addEventListener('abort', () => reject(signal.reason));
      });
      if (this.failsWith !== undefined) throw this.failsWith;
      this.made.push(what);
    } finally {
      this.under -= 1;
    }
  }

  async goOn(): Promise<void> {
    while (this.#goOn.length === 0) await new Promise((resolve) => setImmediate(resolve));
    this.#goOn.shift()?.();
  }
}

function given(minNewEvents: number) {
  const snapshots = new SlowSnapshots();
  const { list } = snapshots;
  const fold = (from: number, to: number) => {
    for (const event of EVENTS.slice(from, to)) list.fold(event);
  };
  const failures: Error[] = [];
  const failed = (error: Error) => void failures.push(error);
  const memory: { lacks: Error | undefined } = { lacks: undefined };
  const against = () => memory.lacks;
  const keeper = new SnapshotKeeper(snapshots, list, { minNewEvents, failed, against });
  return { snapshots, fold, failures, keeper, memory };
}

describe('the keeper of snapshots', () => {
  it('saves a list after enough events, and again after as many more', async () => {
    const { snapshots, fold, keeper } = given(2);
    fold(0, 1);
    await keeper.keep();
    fold(1, 2);
    const kept = keeper.keep();
    await snapshots.goOn();
    await kept;
    fold(2, 3);
    await keeper.keep();
    expect(snapshots.made).toStrictEqual(['saved 2']);
    expect(keeper.position).toBe(2);
  });

  it('does not copy the list if none is stored', async () => {
    const list = new (class extends OrderList<undefined> {
      override pack(): never {
        throw new Error('it was copied');
      }
    })(() => undefined);
    const failed = (error: Error) => expect.fail(error.message);
    const { load } = new SlowSnapshots();
    const keeper = new SnapshotKeeper({ load }, list, {
      minNewEvents: 1,
      failed,
      against: () => undefined,
    });
    for (const event of EVENTS) list.fold(event);
    await keeper.close();
    expect(keeper.position).toBe(0);
  });

  it('saves the list of the time of the call, one write at a time, and finishes all', async () => {
    const { snapshots, fold, keeper } = given(1);
    fold(0, 2);
    keeper.keep();
    fold(2, 4);
    keeper.keep();
    const nothingNew = keeper.keep();
    await snapshots.goOn();
    await snapshots.goOn();
    await nothingNew;
    expect(snapshots.made).toStrictEqual(['saved 2', 'saved 4']);
  });

  it('has the position of what is saved, not of what is being saved or has failed', async () => {
    const { snapshots, fold, failures, keeper } = given(1);
    fold(0, 1);
    const first = keeper.keep();
    fold(1, 2);
    const second = keeper.keep();
    expect(keeper.position).toBe(0);
    await snapshots.goOn();
    await first;
    expect(keeper.position).toBe(1);
    snapshots.failsWith = new Error('the disk is full');
    await snapshots.goOn();
    await second;
    expect(keeper.position).toBe(1);
    expect(failures).toStrictEqual([snapshots.failsWith]);
  });

  it('tries again without more events after an error, but for a newer list in line', async () => {
    const { snapshots, fold, failures, keeper } = given(1);
    snapshots.failsWith = new Error('the disk is full');
    fold(0, 1);
    const failed = keeper.keep();
    fold(1, 2);
    const next = keeper.keep();
    await snapshots.goOn();
    await failed;
    snapshots.failsWith = undefined;
    expect(failures).toHaveLength(1);
    const nothingNew = keeper.keep();
    await snapshots.goOn();
    await Promise.all([next, nothingNew]);
    expect(snapshots.made).toStrictEqual(['saved 2']);
    snapshots.failsWith = new Error('the disk is full');
    fold(2, 3);
    const failedAgain = keeper.keep();
    await snapshots.goOn();
    await failedAgain;
    snapshots.failsWith = undefined;
    const kept = keeper.keep();
    await snapshots.goOn();
    await kept;
    expect(snapshots.made).toStrictEqual(['saved 2', 'saved 3']);
    expect(keeper.position).toBe(3);
  });

  it('reports an error, and tries again after more events', async () => {
    const { snapshots, fold, failures, keeper } = given(1);
    snapshots.failsWith = new Error('the disk is full');
    fold(0, 1);
    const failed = keeper.keep();
    await snapshots.goOn();
    await failed;
    expect(failures).toStrictEqual([snapshots.failsWith]);
    snapshots.failsWith = undefined;
    fold(1, 2);
    const kept = keeper.keep();
    await snapshots.goOn();
    await kept;
    expect(snapshots.made).toStrictEqual(['saved 2']);
  });
});

describe('the keeper of snapshots that follows', () => {
  let pendingTimers: () => number;
  beforeEach(() => {
    pendingTimers = fakeTimersOf('src/app/read/snapshot-keeper.ts', ['performance']);
  });
  afterEach(() => {
    vi.useRealTimers();
  });
  const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

  it('renews the snapshot in an interval, if enough events are new', async () => {
    const { snapshots, fold, keeper } = given(2);
    keeper.follow(EVERY_MS);
    fold(0, 1);
    await pass(EVERY_MS * 5);
    expect(snapshots.under).toBe(0);
    fold(1, 2);
    await pass(EVERY_MS);
    expect(snapshots.under).toBe(1);
    expect(keeper.position).toBe(0);
    await snapshots.goOn();
    await pass(0);
    expect(keeper.position).toBe(2);
    await pass(EVERY_MS * 5);
    expect(snapshots.made).toStrictEqual(['renewed 2']);
  });

  it('rests for ten times as long as a renewal took', async () => {
    const { snapshots, fold, keeper } = given(1);
    keeper.follow(EVERY_MS);
    fold(0, 1);
    await pass(EVERY_MS);
    await pass(EVERY_MS * 3);
    await snapshots.goOn();
    await pass(0);
    fold(1, 2);
    await pass(EVERY_MS * 30 - 1);
    expect(snapshots.under).toBe(0);
    await pass(1);
    expect(snapshots.under).toBe(1);
  });

  it('waits for a list that is being saved', async () => {
    const { snapshots, fold, keeper } = given(1);
    keeper.follow(EVERY_MS);
    fold(0, 1);
    keeper.keep();
    await pass(0);
    fold(1, 2);
    await pass(EVERY_MS);
    await snapshots.goOn();
    await pass(0);
    await snapshots.goOn();
    await pass(0);
    expect(snapshots.made).toStrictEqual(['saved 1', 'renewed 2']);
  });

  it('reports a renewal that failed, and goes on', async () => {
    const { snapshots, fold, failures, keeper } = given(1);
    keeper.follow(EVERY_MS);
    snapshots.failsWith = new Error('the disk is full');
    fold(0, 1);
    await pass(EVERY_MS);
    await snapshots.goOn();
    await pass(0);
    expect(failures).toStrictEqual([snapshots.failsWith]);
    expect(keeper.position).toBe(0);
    snapshots.failsWith = undefined;
    await pass(EVERY_MS);
    await snapshots.goOn();
    await pass(0);
    expect(keeper.position).toBe(1);
  });

  it('ends a renewal in progress when it is closed, and saves the list itself', async () => {
    const { snapshots, fold, failures, keeper } = given(1);
    keeper.follow(EVERY_MS);
    fold(0, 1);
    await pass(EVERY_MS);
    const closed = keeper.close();
    await pass(0);
    expect(snapshots.under).toBe(1);
    fold(1, 2);
    await snapshots.goOn();
    await snapshots.goOn();
    await closed;
    await pass(EVERY_MS * 30);
    expect(snapshots.made).toStrictEqual(['saved 1']);
    expect(failures).toStrictEqual([]);
    expect(pendingTimers()).toBe(0);
  });

  it('waits for no renewal once it is closed', async () => {
    const { keeper } = given(1);
    keeper.follow(EVERY_MS);
    expect(pendingTimers()).toBe(1);
    await keeper.close();
    expect(pendingTimers()).toBe(0);
  });

  it('renews nothing without memory for a second list, and reports that once', async () => {
    const { snapshots, fold, failures, keeper, memory } = given(1);
    memory.lacks = new Error('too much');
    keeper.follow(EVERY_MS);
    fold(0, 1);
    await pass(EVERY_MS * 3);
    expect(failures).toStrictEqual([memory.lacks]);
    memory.lacks = undefined;
    await pass(EVERY_MS);
    await snapshots.goOn();
    await pass(0);
    expect(snapshots.made).toStrictEqual(['renewed 1']);
  });

  it('renews nothing if none is stored', async () => {
    const { list, load } = new SlowSnapshots();
    const failed = (error: Error) => expect.fail(error.message);
    const options = { minNewEvents: 1, failed, against: () => undefined };
    const keeper = new SnapshotKeeper({ load }, list, options);
    keeper.follow(EVERY_MS);
    for (const event of EVENTS) list.fold(event);
    await pass(EVERY_MS);
    expect(keeper.position).toBe(0);
  });

  it('begins no renewal once it is closed', async () => {
    const { snapshots, fold, keeper } = given(1);
    keeper.follow(EVERY_MS);
    fold(0, 1);
    keeper.keep();
    await pass(EVERY_MS);
    fold(1, 2);
    const closed = keeper.close();
    await snapshots.goOn();
    await pass(0);
    await snapshots.goOn();
    await closed;
    expect(snapshots.made).toStrictEqual(['saved 1', 'saved 2']);
  });
});
