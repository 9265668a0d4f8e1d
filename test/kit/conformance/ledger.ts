import { brokenOrderRule } from '../oracle/list-rules.ts';
import type { Order } from '../vocabulary.ts';

/** An order as its placement and its acknowledged shipments left it. */
interface Entry {
  readonly placed: Order;
  /** The dates that its shipments were accepted on; `undefined` if it was listed without one. */
  readonly shipDates: readonly (string | undefined)[];
  /** True if a command got no answer that says what was done. */
  readonly isOpen: boolean;
}

/** Keeps the expected state of every order that was placed. */
export class Ledger {
  readonly #entries = new Map<bigint, Entry>();
  readonly #kept: bigint[] = [];

  get ids(): readonly bigint[] {
    return [...this.#entries.keys()];
  }

  /** The ids of the orders that have shipped. */
  get shipped(): readonly bigint[] {
    return this.ids.filter((id) => this.#entries.get(id)?.shipDates.length);
  }

  /** The ids of the orders that no check changes before the pause, in order of their placement. */
  get kept(): readonly bigint[] {
    return this.#kept;
  }

  /** Notes that an order stays as it was placed until the pause is over. */
  keep(id: bigint): void {
    this.#kept.push(id);
  }

  /** Returns an order as it was placed, and the date with which it has shipped, if it has. */
  given(id: bigint): { readonly placed: Order; readonly shipDate: string | undefined } {
    const { placed, shipDates } = this.#entries.get(id) as Entry;
    return { placed, shipDate: shipDates.at(-1) };
  }

  place(placed: Order): void {
    this.#entries.set(placed.id, { placed, shipDates: [], isOpen: false });
  }

  ship(id: bigint, shipDate: string): void {
    this.#change(id, ({ shipDates }) => ({ shipDates: [...shipDates, shipDate] }));
  }

  /** Notes that it is unknown what became of an order. */
  open(id: bigint): void {
    this.#change(id, () => ({ isOpen: true }));
  }

  /** Expects an order to stay as it is listed, whatever was acknowledged before. */
  expect(row: Order): void {
    const shipDates = row.complete ? [row.shipDate] : [];
    this.#change(row.id, () => ({ placed: row, shipDates }));
  }

  /**
   * Returns the difference between an order and its row in a list, in words.
   * @param isLenient True if the ship date of a shipped order may be the expected one.
   */
  differenceIn(id: bigint, row: Order | undefined, isLenient: boolean): string | undefined {
    const { placed, shipDates, isOpen } = this.#entries.get(id) as Entry;
    if (row === undefined) return `order ${id} is not in the list`;
    if (isOpen) return undefined;
    const { shipDate: _, ...undated } = placed;
    const isShipped = shipDates.length > 0;
    const dates =
      isShipped && isLenient ? [row.shipDate] : isShipped ? shipDates : [placed.shipDate];
    const broken = dates.map((shipDate) => {
      const date = shipDate === undefined ? {} : { shipDate };
      return brokenOrderRule(row, { ...undated, ...date, complete: isShipped })?.detail;
    });
    return broken.includes(undefined) ? undefined : broken[0];
  }

  #change(id: bigint, change: (entry: Entry) => Partial<Entry>): void {
    const entry = this.#entries.get(id);
    if (entry !== undefined) this.#entries.set(id, { ...entry, ...change(entry) });
  }
}
