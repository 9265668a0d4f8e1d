/** A small generator of pseudo-random 32-bit numbers. */
export function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
}

/** Pseudo-random choices that depend on the seed only. */
export class Random {
  readonly #draw: () => number;

  constructor(seed: number) {
    this.#draw = mulberry32(seed);
  }

  /** Returns a number from 0 to below 1. */
  fraction(): number {
    return this.#draw() / 2 ** 32;
  }

  /** Returns an integer from 0 to below `end`. */
  below(end: number): number {
    return Math.floor(this.fraction() * end);
  }

  oneOf<Choice>(choices: readonly Choice[]): Choice {
    return choices[this.below(choices.length)] as Choice;
  }
}
