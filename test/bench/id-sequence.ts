/**
 * A sequence of the ids 1 to `size`, each once, evenly scattered: neighbours in the sequence are
 * far apart among the orders, and no two loads get the same id.
 */
export class IdSequence {
  readonly size: number;
  /** The distance between successive ids: coprime to the size, so that every id occurs. */
  readonly step: number;
  #used = 0;

  constructor(size: number) {
    this.size = size;
    this.step = coprimeNear(Math.round(size * 0.618_034), size);
  }

  /** The number of ids handed out so far. */
  get used(): number {
    return this.#used;
  }

  use(count: number): void {
    this.#used += count;
  }

  /** Returns the id at an index of the sequence, as every load generator computes it. */
  at(index: number): number {
    return idAt(index, this);
  }
}

/** Exact, because the product stays below 2^53 for every size below 90 million. */
export function idAt(index: number, { size, step }: { size: number; step: number }): number {
  return 1 + ((index * step) % size);
}

function coprimeNear(candidate: number, size: number): number {
  let step = Math.max(1, candidate);
  while (greatestCommonDivisor(step, size) !== 1) step += 1;
  return step;
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
