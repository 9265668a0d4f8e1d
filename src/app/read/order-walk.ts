/** Walks over the list by id: in either direction, from an id on, or over a few ids alone. */
import type { OrderId } from '../../domain/order-id.ts';
import { firstIndex } from '../state/first-index.ts';
import type { OrderList } from '../state/order-list.ts';

/** The orders that a query visits, and their order. */
export interface Walk {
  /** By id: ascending where absent. */
  readonly order?: 'desc' | undefined;
  /** The lowest id. */
  readonly fromId?: OrderId | undefined;
  /** The id below which all are. */
  readonly toId?: OrderId | undefined;
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
  const { order = 'asc', fromId, toId, ids } = walk;
  if (ids !== undefined) return [slotsAmong(list, ids, walk, after)];
  if (order === 'desc') {
    const isBegun = toId === undefined || (after !== undefined && after < toId);
    const slots = list.slotsBeyond(isBegun ? after : toId, order);
    return fromId === undefined ? slots : slotsUntil(list, slots, (id) => id < fromId);
  }
  const isBegun = fromId === undefined || (after !== undefined && after >= fromId);
  const slots = list.slotsBeyond(isBegun ? after : ((fromId - 1n) as OrderId), order);
  return toId === undefined ? slots : slotsUntil(list, slots, (id) => id >= toId);
}

function slotsAmong(
  list: OrderList<unknown>,
  ids: readonly OrderId[],
  { order, fromId, toId }: Walk,
  after: OrderId | undefined,
): Uint32Array {
  const sign = order === 'desc' ? -1 : 1;
  const isAhead = (id: OrderId) =>
    after === undefined || (order === 'desc' ? id < after : id > after);
  const isWithin = (id: OrderId) =>
    (fromId === undefined || id >= fromId) && (toId === undefined || id < toId);
  const slots = [...new Set(ids)]
    .filter((id) => isAhead(id) && isWithin(id))
    .sort((one, other) => (one < other ? -sign : sign))
    .map((id) => list.image.slotOf(id));
  return Uint32Array.from(slots.filter((slot) => slot !== -1));
}

/** Yields slots up to the first whose id is past the end of the walk. */
function* slotsUntil(
  list: OrderList<unknown>,
  chunks: Iterable<Uint32Array>,
  isPast: (id: bigint) => boolean,
): Iterable<Uint32Array> {
  const { ids } = list.columns;
  for (const slots of chunks) {
    const end = firstIndex(slots.length, (index) => isPast(ids.get(slots[index] as number)));
    yield slots.subarray(0, end);
    if (end < slots.length) return;
  }
}
