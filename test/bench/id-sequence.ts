/**
 * The ids 1 to `size`, each once, scattered evenly: neighbours in the sequence are far apart among
 * the orders, and no two loads are ever given the same id.
 */
export class IdSequence {
  readonly size: number;
  /** How far one id is from the next: coprime to the size, so that every id comes up. */
  readonly step: number;
  #used = 0;

  constructor(size: number) {
    this.size = size;
    this.step = coprimeNear(Math.round(size * 0.618_034), size);
  }

  /** How many ids have been given away. */
  get used(): number {
    return this.#used;
  }

  use(count: number): void {
    this.#used += count;
  }

  /** The id at a place in the sequence, as every load generator computes it. */
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
