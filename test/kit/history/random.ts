/** Pseudo-random numbers that depend on the seed only: Marsaglia's xorshift, 32 bits. */
export class Random {
  #state: number;

  constructor(seed: number) {
    // Similar seeds must not yield similar sequences, and the state must never be 0.
    this.#state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) | 1;
    for (let i = 0; i < 8; i++) this.#next();
  }

  /** Returns an integer from 0 to below `end`. */
  below(end: number): number {
    return Math.floor((this.#next() / 2 ** 32) * end);
  }

  /** Returns true with the given probability in percent. */
  percent(share: number): boolean {
    return this.below(100) < share;
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[this.below(items.length)] as Item;
  }

  #next(): number {
    let x = this.#state;
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    this.#state = x;
    return x >>> 0;
  }
}
