/** How many days have a place at the same time. */
const PLACES = 1_024;

/**
 * Something about days that takes a while to work out, such as what the calendar says. An order has dates
 * of two or three days, and its neighbours have mostly the same ones: each is worked out when it first
 * comes up, and again only where another day has taken its place.
 */
export class DayTable<Value> {
  readonly #workOut: (day: number) => Value;
  readonly #days = new Float64Array(PLACES).fill(Number.NaN);
  readonly #values: Value[] = [];

  /** @param workOut What is to be known of a day. */
  constructor(workOut: (day: number) => Value) {
    this.#workOut = workOut;
  }

  /** @param day Any number that stands for a day. */
  get(day: number): Value {
    const place = day & (PLACES - 1);
    if (this.#days[place] !== day) {
      this.#values[place] = this.#workOut(day);
      this.#days[place] = day;
    }
    return this.#values[place] as Value;
  }
}
