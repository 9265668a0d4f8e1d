/** The good lines of an import, packed into columns. */

import { instantAt, millisecondsOf } from '../../domain/instant.ts';
import { CANCEL_REASONS } from '../../domain/order.ts';
import type { OrderId, PetId } from '../../domain/order-id.ts';
import { allGrown, columnOf } from '../state/columns.ts';
import { IdIndex } from '../state/id-index.ts';
import { STATUSES } from '../state/order-image.ts';
import { type ImportedOrder, reasonOf } from './imported-order.ts';

/** A line with the order that it gives. Lines count from 1. */
export interface GoodLine {
  readonly line: number;
  readonly order: ImportedOrder;
}

const noLines = () => ({
  lines: columnOf(Float64Array<ArrayBuffer>),
  ids: columnOf(BigInt64Array<ArrayBuffer>),
  petIds: columnOf(BigInt64Array<ArrayBuffer>),
  quantities: columnOf(Int32Array<ArrayBuffer>),
  /** Milliseconds since 1970; NaN without a date. */
  shipDates: columnOf(Float64Array<ArrayBuffer>),
  statuses: columnOf(Uint8Array<ArrayBuffer>),
  /** The index in {@link CANCEL_REASONS} plus 1; 0 without a reason. */
  reasons: columnOf(Uint8Array<ArrayBuffer>),
});

/**
 * Lines with one order each, and no two of the same order. They take 38 bytes a line, where objects
 * take 500, and the index from ids to lines none where ids count up, 18 to 36 otherwise.
 */
export class PackedLines {
  readonly #slots = new IdIndex();
  #columns = noLines();

  get size(): number {
    return this.#slots.size;
  }

  /** Returns the line of an order, if there is one. */
  find(id: OrderId): GoodLine | undefined {
    const slot = this.#slots.slotOf(id);
    return slot === -1 ? undefined : this.at(slot);
  }

  /** Adds the line of an order that has none. */
  add({ line, order }: GoodLine): void {
    const slot = this.#slots.add(order.id);
    if (slot === this.#columns.lines.length) this.#columns = allGrown(this.#columns);
    const columns = this.#columns;
    columns.lines[slot] = line;
    columns.ids[slot] = order.id;
    columns.petIds[slot] = order.petId;
    columns.quantities[slot] = order.quantity;
    columns.shipDates[slot] = order.shipDate === undefined ? NaN : millisecondsOf(order.shipDate);
    columns.statuses[slot] = STATUSES.indexOf(order.status);
    const reason = reasonOf(order);
    columns.reasons[slot] = reason === undefined ? 0 : CANCEL_REASONS.indexOf(reason) + 1;
  }

  /** Returns a line by its place, from 0 to below the size, in the order in which it was added. */
  at(slot: number): GoodLine {
    const columns = this.#columns;
    const reason = CANCEL_REASONS[(columns.reasons[slot] as number) - 1];
    const order = {
      id: columns.ids[slot] as OrderId,
      petId: columns.petIds[slot] as PetId,
      quantity: columns.quantities[slot],
      shipDate: instantAt(columns.shipDates[slot] as number),
      status: STATUSES[columns.statuses[slot] as number],
      ...(reason !== undefined && { cancelReason: reason }),
    } as ImportedOrder;
    return { line: columns.lines[slot] as number, order };
  }
}
