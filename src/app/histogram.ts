/**
 * Histograms of measured values. A value is counted in one of a few buckets of a typed array, which
 * takes about 30 ns and allocates nothing: see docs/performance.md.
 */

/**
 * The contents of a histogram at one moment, in the form of OpenMetrics: each bucket holds all
 * below it.
 */
export interface HistogramReading {
  /** The upper bound of each bucket but the last, ascending; a value at a bound is below it. */
  readonly bounds: readonly number[];
  /** The number of values up to each bound, and at the end of all values. */
  readonly cumulative: readonly number[];
  readonly sum: number;
}

/** Counts values in buckets. */
export class Histogram {
  readonly #bounds: readonly number[];
  /** The number of values in each bucket, without those in the buckets below it. */
  readonly #counts: Float64Array;
  #sum = 0;

  /**
   * @param bounds The upper bounds of the buckets, ascending; one more bucket holds what is above.
   */
  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = new Float64Array(bounds.length + 1);
  }

  observe(value: number): void {
    const bounds = this.#bounds;
    let bucket = 0;
    while (bucket < bounds.length && value > (bounds[bucket] as number)) bucket++;
    (this.#counts[bucket] as number)++;
    this.#sum += value;
  }

  read(): HistogramReading {
    const cumulative: number[] = [];
    let total = 0;
    for (const count of this.#counts) {
      total += count;
      cumulative.push(total);
    }
    return { bounds: this.#bounds, cumulative, sum: this.#sum };
  }
}
