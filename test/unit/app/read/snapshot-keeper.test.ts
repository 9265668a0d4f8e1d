import { describe, expect, it } from 'vitest';
import type { PackedList } from '../../../../src/app/log/packed-fold.ts';
import type { Snapshots } from '../../../../src/app/ports/snapshots.ts';
import { SnapshotKeeper } from '../../../../src/app/read/snapshot-keeper.ts';
import { OrderList } from '../../../../src/app/state/order-list.ts';
import { placed, recorded } from '../../../support/events.ts';

const EVENTS = recorded(...[1n, 2n, 3n, 4n, 5n, 6n].map((id) => placed(id)));

/** Keeps what it is given, once it is told to go on. */
class SlowSnapshots implements Snapshots {
  readonly positions: number[] = [];
  under = 0;
  #goOn: (() => void)[] = [];
  failsWith: Error | undefined;

  async load() {
    return { kind: 'none', reason: 'there is none' } as const;
  }

  async save({ image }: PackedList): Promise<void> {
    this.under += 1;
    expect(this.under).toBe(1);
    await new Promise<void>((resolve) => this.#goOn.push(resolve));
    this.under -= 1;
    if (this.failsWith !== undefined) throw this.failsWith;
    this.positions.push(image.position);
  }

  async goOn(): Promise<void> {
    while (this.#goOn.length === 0) await new Promise((resolve) => setImmediate(resolve));
    this.#goOn.shift()?.();
  }
}

function given(worth: number) {
  const snapshots = new SlowSnapshots();
  const list = new OrderList(() => undefined);
  const fold = (from: number, to: number) => {
    for (const event of EVENTS.slice(from, to)) list.fold(event);
  };
  return { snapshots, fold, keeper: new SnapshotKeeper(snapshots, list, worth) };
}

describe('the keeper of snapshots', () => {
  it('saves a list after enough events, and again after as many more', async () => {
    const { snapshots, fold, keeper } = given(2);
    fold(0, 1);
    expect(await keeper.keep()).toBeUndefined();
    fold(1, 2);
    const kept = keeper.keep();
    await snapshots.goOn();
    expect(await kept).toBeUndefined();
    fold(2, 3);
    expect(await keeper.keep()).toBeUndefined();
    expect(snapshots.positions).toStrictEqual([2]);
    expect(keeper.position).toBe(2);
  });

  it('does not copy the list if none is stored', async () => {
    const list = new (class extends OrderList<undefined> {
      override pack(): never {
        throw new Error('it was copied');
      }
    })(() => undefined);
    const keeper = new SnapshotKeeper({ load: new SlowSnapshots().load }, list, 1);
    for (const event of EVENTS) list.fold(event);
    expect(await keeper.keep()).toBeUndefined();
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
    expect(snapshots.positions).toStrictEqual([2, 4]);
  });

  it('returns the error, and tries again after more events', async () => {
    const { snapshots, fold, keeper } = given(1);
    snapshots.failsWith = new Error('the disk is full');
    fold(0, 1);
    const failed = keeper.keep();
    await snapshots.goOn();
    expect(await failed).toBe(snapshots.failsWith);
    snapshots.failsWith = undefined;
    fold(1, 2);
    const kept = keeper.keep();
    await snapshots.goOn();
    expect(await kept).toBeUndefined();
    expect(snapshots.positions).toStrictEqual([2]);
  });
});
