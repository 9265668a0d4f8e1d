/** The events of one order, found in the snapshot and the events since. */

import { snapshotKeyOf } from '../../app/audit/proving/signing-key.ts';
import { UserError } from '../../app/lifecycle/user-error.ts';
import type { CommandLineStore } from '../../app/ports/store.ts';
import type { OrderId } from '../../domain/order-id.ts';
import { type OrderStatus, statusAfter } from '../../domain/order-lives.ts';
import { type CommandLine, whileChecked } from './command-line.ts';

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
 * and the events since, each of which is checked against the tree. Throws {@link UserError} if there
 * is no such order, and {@link DamagedStore}.
 */
export async function eventsOf(
  orderId: OrderId,
  store: CommandLineStore,
  { composition }: CommandLine,
): Promise<OrderEvents> {
  await useSnapshots(store, composition);
  const { position, positions, status } = await store.snapshots.find(orderId);
  const found = { positions: [...positions], status };
  const search = async () => {
    for await (const events of store.log.read(position)) {
      for (const { position: at, event } of events) {
        if (event.orderId !== orderId) continue;
        found.positions.push(at);
        found.status = statusAfter(event.type);
      }
    }
  };
  if ((await store.log.head()) - position > MAX_CHECKED_ALONE) await whileChecked(store, search);
  else {
    await requireUnchanged(store, position);
    await search();
  }
  if (found.status === undefined) throw new UserError(`There is no order ${orderId}.`);
  return { positions: found.positions, status: found.status };
}

/** Lets the snapshot be used, unless the key that it was made with cannot be read. */
async function useSnapshots(
  { snapshots, signingKeys }: CommandLineStore,
  composition: CommandLine['composition'],
): Promise<void> {
  try {
    const signer = await composition.signer();
    const hasSigned = (await signingKeys.list()).length > 0;
    if (signer !== undefined || !hasSigned) snapshots.sealWith(snapshotKeyOf(signer));
  } catch {
    // Then the whole log is read.
  }
}

/** Throws {@link DamagedStore} if an event after a position differs from what was recorded. */
async function requireUnchanged({ trail }: CommandLineStore, after: number): Promise<void> {
  for (let at = after; ; at += CHUNK_EVENTS) {
    const { length } = await trail.stored(at, CHUNK_EVENTS);
    if (length < CHUNK_EVENTS) return;
  }
}
