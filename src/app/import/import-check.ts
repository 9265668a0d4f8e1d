/** The first pass of an import, which changes nothing. */

import type { OrderCommand } from '../../domain/order.ts';
import type { OrderId } from '../../domain/order-id.ts';
import type { Entry, WorkingTable } from '../ports/working-table.ts';
import { planImport } from './import-plan.ts';
import type { ImportedOrder, Reading } from './imported-order.ts';
import type { NamedOrders } from './named-orders.ts';
import { isSameOrder, type NumberedOrder, orderOf, orderText } from './order-text.ts';

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
    const next = this.first.findIndex((other) => line < other.line);
    this.first.splice(next === -1 ? this.first.length : next, 0, { line, reason });
    this.first.length = Math.min(this.first.length, MAX_LISTED_LINES);
  }
}

/** A line with what is read from it. */
export interface ReadLine {
  readonly line: number;
  readonly reading: Reading;
}

/** A line whose order is not yet in the state given by the line. */
export interface DueLine {
  readonly line: number;
  readonly id: OrderId;
  /** At least one; each must be sent only after the previous one was accepted. */
  readonly commands: readonly OrderCommand[];
}

/**
 * The first pass of an import: checks every line against the preceding lines and then all of them against
 * the existing orders, and changes nothing, so that a file with a mistake can be refused as a whole.
 */
export class ImportCheck {
  /** The number of orders read, good and bad. */
  read = 0;
  /** The number of those that are in the store already, or a second time in the file. */
  present = 0;
  readonly bad = new BadLines();
  /** One line of each order: its number and the order, by the order's id. */
  readonly #lines: WorkingTable;
  /** The number of lines in the table that need nothing, and of those that contradict their order. */
  #settled = 0;

  /** @param lines An empty table, in which the lines are collected. */
  constructor(lines: WorkingTable) {
    this.#lines = lines;
  }

  /** The number of lines that are due. */
  get dueCount(): number {
    return this.#lines.size - this.#settled;
  }

  /** Adds the next lines of the file. */
  add(lines: readonly ReadLine[]): void {
    const entries: Entry[] = [];
    for (const { line, reading } of lines) {
      if (reading.kind === 'bad') this.bad.add(line, reading.reason);
      else entries.push([reading.order.id, orderText({ number: line, order: reading.order })]);
    }
    this.read += lines.length;
    for (const [id, text] of this.#lines.add(entries)) this.#addAgain(id, text);
  }

  /** Compares a line with the line before that names the same order. */
  #addAgain(id: bigint, text: string): void {
    const before = this.#lines.get(id) as string;
    if (isSameOrder(before, text)) {
      this.present += 1;
      return;
    }
    const { number } = orderOf(id, before);
    this.bad.add(
      orderOf(id, text).number,
      `it says something else of the order than line ${number}`,
    );
  }

  /** Checks the lines against the existing orders. */
  compareWith(orders: NamedOrders): void {
    for (const page of orders.allAtReading()) {
      const lines = this.#lines.getAll(page.map(({ id }) => id));
      for (const present of page) {
        const { number, order } = importedOf(present.id, lines.get(present.id) as string);
        const plan = planImport(order, present);
        if (plan.kind === 'impossible') this.bad.add(number, plan.reason);
        else if (plan.commands.length === 0) this.present += 1;
        else continue;
        this.#settled += 1;
      }
    }
  }

  /** Returns true if an order is now in the state that its line gives, or beyond it. */
  isPresent(id: OrderId, orders: NamedOrders): boolean {
    const { order } = importedOf(id, this.#lines.get(id) as string);
    const plan = planImport(order, orders.present(id));
    return plan.kind === 'possible' && plan.commands.length === 0;
  }

  /**
   * Yields the lines that are due. Their commands are planned again here, because they would take many
   * times the room of the lines.
   *
   * The line with the highest id comes first. A server that runs meanwhile assigns ids above the
   * highest, and would otherwise take ids that the file has yet to place.
   */
  *due(orders: NamedOrders): Iterable<DueLine> {
    if (this.dueCount === 0) return;
    const highest = this.#lines.highestKey() as bigint;
    yield* planned([[highest, this.#lines.get(highest) as string]], orders);
    for (const page of this.#lines.pages()) {
      yield* planned(
        page.filter(([id]) => id !== highest),
        orders,
      );
    }
  }
}

/** A line with the order that it gives. */
type GoodLine = NumberedOrder<ImportedOrder>;

function importedOf(id: bigint, text: string): GoodLine {
  return orderOf(id, text) as GoodLine;
}

function* planned(lines: readonly Entry[], orders: NamedOrders): Iterable<DueLine> {
  const present = orders.atReading(lines.map(([id]) => id));
  for (const [id, text] of lines) {
    const { number, order } = importedOf(id, text);
    const plan = planImport(order, present.get(id));
    if (plan.kind === 'possible' && plan.commands.length > 0) {
      yield { line: number, id: order.id, commands: plan.commands };
    }
  }
}
