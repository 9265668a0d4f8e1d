/** The first pass of an import, which changes nothing. */

import type { OrderCommand } from '../../domain/order.ts';
import type { OrderId } from '../../domain/order-id.ts';
import { type PresentOrder, planImport } from './import-plan.ts';
import { type ImportedOrder, type Reading, reasonOf } from './imported-order.ts';
import { type GoodLine, PackedLines } from './packed-lines.ts';

/** The most bad lines that are listed with their reasons; further ones are only counted. */
const MAX_LISTED_LINES = 20;

/** A line that cannot be imported, with the reason. Lines count from 1. */
export interface BadLine {
  readonly line: number;
  readonly reason: string;
}

/** Bad lines: all are counted, and the first ones are listed. */
export class BadLines {
  readonly first: BadLine[] = [];
  count = 0;

  add(line: number, reason: string): void {
    this.count += 1;
    if (this.first.length < MAX_LISTED_LINES) this.first.push({ line, reason });
  }
}

/** A line whose order is not yet in the state given by the line. */
export interface DueLine {
  readonly line: number;
  /** At least one; each must be sent only after the previous one was accepted. */
  readonly commands: readonly OrderCommand[];
}

/**
 * The first pass of an import: checks every line against the existing orders and the preceding
 * lines, and changes nothing, so that a file with a mistake can be refused as a whole.
 */
export class ImportCheck {
  /** The number of orders read, good and bad. */
  read = 0;
  /** The number of those that are in the store already, or a second time in the file. */
  present = 0;
  /** The number of those that are due. */
  dueCount = 0;
  readonly bad = new BadLines();
  readonly #find: (id: OrderId) => PresentOrder | undefined;
  readonly #good = new PackedLines();
  #highest: GoodLine | undefined;

  /** @param find Returns the order with an id: the same until the import is done. */
  constructor(find: (id: OrderId) => PresentOrder | undefined) {
    this.#find = find;
  }

  /**
   * Yields the lines that are due. Their commands are planned again here, because storing them
   * would take many times the memory of the lines.
   *
   * The line with the highest id comes first. A server that runs meanwhile assigns ids above the
   * highest, and would otherwise take ids that the file has yet to place.
   */
  *due(): Iterable<DueLine> {
    const highest = this.#highest;
    if (highest !== undefined) yield* this.#planned(highest);
    for (let index = 0; index < this.#good.size; index++) {
      const good = this.#good.at(index);
      if (good.line !== highest?.line) yield* this.#planned(good);
    }
  }

  add(line: number, reading: Reading): void {
    this.read += 1;
    if (reading.kind === 'bad') {
      this.bad.add(line, reading.reason);
      return;
    }
    const { order } = reading;
    const earlier = this.#good.find(order.id);
    if (earlier === undefined) this.#addFirst(line, order);
    else if (isSame(earlier.order, order)) this.present += 1;
    else this.bad.add(line, `it says something else of the order than line ${earlier.line}`);
  }

  #addFirst(line: number, order: ImportedOrder): void {
    const plan = planImport(order, this.#find(order.id));
    if (plan.kind === 'impossible') {
      this.bad.add(line, plan.reason);
      return;
    }
    if (plan.commands.length === 0) this.present += 1;
    else this.dueCount += 1;
    const good = { line, order };
    this.#good.add(good);
    if (this.#highest === undefined || order.id > this.#highest.order.id) this.#highest = good;
  }

  *#planned({ line, order }: GoodLine): Iterable<DueLine> {
    const plan = planImport(order, this.#find(order.id));
    if (plan.kind === 'possible' && plan.commands.length > 0) {
      yield { line, commands: plan.commands };
    }
  }
}

function isSame(a: ImportedOrder, b: ImportedOrder): boolean {
  return (
    a.petId === b.petId &&
    a.quantity === b.quantity &&
    a.shipDate === b.shipDate &&
    a.status === b.status &&
    reasonOf(a) === reasonOf(b)
  );
}
