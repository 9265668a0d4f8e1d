/** The events of one order, found in the snapshot and the events since. */

import { CannotStart } from '../../app/lifecycle/cannot-start.ts';
import type { CommandLineStore } from '../../app/ports/store.ts';
import { ReadModel } from '../../app/read/read-model.ts';
import type { OrderStatus } from '../../app/state/order-image.ts';
import { OrderList } from '../../app/state/order-list.ts';
import type { OrderId } from '../../domain/order-id.ts';
import { whileChecked } from './command-line.ts';

/** More events than these are checked faster with the whole store than by themselves. */
const MAX_CHECKED_ALONE = 100_000;
/** The events that are checked at once. */
const CHUNK_EVENTS = 1_000;

interface OrderEvents {
  /** Ascending. */
  readonly positions: readonly number[];
  readonly status: OrderStatus;
}

/**
 * Finds the events of an order. There is no index of them: they follow from the snapshot, if there is one,
 * and the events since, each of which is checked against the tree. Throws {@link CannotStart} if there
 * is no such order, and {@link DamagedStore}.
 */
export async function eventsOf(orderId: OrderId, store: CommandLineStore): Promise<OrderEvents> {
  const snapshot = await store.snapshots.load();
  const list = new OrderList(
    () => undefined,
    snapshot.kind === 'found' ? snapshot.list : undefined,
  );
  const fold = () => new ReadModel(store.log, list, store.foldSource).current();
  if ((await store.log.head()) - list.position > MAX_CHECKED_ALONE) await whileChecked(store, fold);
  else {
    await requireUnchanged(store, list.position);
    await fold();
  }
  const order = list.get(orderId);
  if (order === undefined) throw new CannotStart(`There is no order ${orderId}.`);
  return { positions: list.positionsOf(orderId), status: order.status };
}

/** Throws {@link DamagedStore} if an event after a position differs from what was recorded. */
async function requireUnchanged({ trail }: CommandLineStore, after: number): Promise<void> {
  for (let at = after; ; at += CHUNK_EVENTS) {
    const { length } = await trail.stored(at, CHUNK_EVENTS);
    if (length < CHUNK_EVENTS) return;
  }
}
