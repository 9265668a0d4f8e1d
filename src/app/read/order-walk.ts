/** Walks over the list by id: in either direction, from an id on, or over a few ids alone. */
import type { OrderId } from '../../domain/order-id.ts';
import { firstIndex } from '../state/columns.ts';
import type { OrderList } from '../state/order-list.ts';

/** The orders that a query visits, and their order. */
export interface Walk {
  /** By id: ascending where absent. */
  readonly order?: 'desc' | undefined;
  /** The lowest id. */
  readonly fromId?: OrderId | undefined;
  /** Only these ids, which are looked up one by one. Unknown ids are skipped. */
  readonly ids?: readonly OrderId[] | undefined;
}

/**
 * Returns the slots of the orders on a walk, chunk by chunk.
 * @param after The id after which it begins: at higher ids, or at lower ones in descending order.
 */
export function slotsOnWalk(
  list: OrderList<unknown>,
  walk: Walk,
  after: OrderId | undefined,
): Iterable<Uint32Array> {
  const { order = 'asc', fromId, ids } = walk;
  if (ids !== undefined) return [slotsAmong(list, ids, walk, after)];
  if (fromId === undefined) return list.slotsBeyond(after, order);
  if (order === 'desc') return downTo(list, fromId, after);
  const isBegun = after !== undefined && after >= fromId;
  return list.slotsBeyond(isBegun ? after : ((fromId - 1n) as OrderId), order);
}

function slotsAmong(
  list: OrderList<unknown>,
  ids: readonly OrderId[],
  { order, fromId }: Walk,
  after: OrderId | undefined,
): Uint32Array {
  const sign = order === 'desc' ? -1 : 1;
  const isAhead = (id: OrderId) =>
    after === undefined || (order === 'desc' ? id < after : id > after);
  const slots = [...new Set(ids)]
    .filter((id) => isAhead(id) && (fromId === undefined || id >= fromId))
    .sort((one, other) => (one < other ? -sign : sign))
    .map((id) => list.image.slotOf(id));
  return Uint32Array.from(slots.filter((slot) => slot !== -1));
}

function* downTo(
  list: OrderList<unknown>,
  fromId: OrderId,
  after: OrderId | undefined,
): Iterable<Uint32Array> {
  const { ids } = list.columns;
  const isBelow = (slot: number | undefined) => (ids[slot as number] as bigint) < fromId;
  for (const slots of list.slotsBeyond(after, 'desc')) {
    const end = firstIndex(slots.length, (index) => isBelow(slots[index]));
    yield slots.subarray(0, end);
    if (end < slots.length) return;
  }
}
