import { CLOCKS } from './clock.ts';

interface Bucket {
  tokens: number;
  /** When so many were in it, by the elapsed time. */
  at: number;
}

export interface BucketSize {
  /** How much may be done at once. */
  readonly capacity: number;
  /** How much more from then on. */
  readonly perSecond: number;
  /** How many names are remembered; beyond it, the one that did something longest ago is forgotten. */
  readonly maxNames: number;
}

/** Bounds how much each of many may do, in constant memory: a token bucket for each name. */
export class TokenBuckets {
  readonly #size: BucketSize;
  readonly #elapsed: () => number;
  /** By name, the one that was used longest ago first. */
  readonly #buckets = new Map<string, Bucket>();

  constructor(size: BucketSize, elapsed: () => number = CLOCKS.elapsed) {
    this.#size = size;
    this.#elapsed = elapsed;
  }

  /** Takes a token. Returns 0, or, where there is none, after how many seconds there will be one. */
  take(name: string): number {
    const { capacity, perSecond, maxNames } = this.#size;
    const at = this.#elapsed();
    const before = this.#buckets.get(name);
    const gained = before === undefined ? 0 : ((at - before.at) / 1_000) * perSecond;
    const tokens = Math.min(capacity, (before?.tokens ?? capacity) + gained);
    const isThere = tokens >= 1;
    this.#buckets.delete(name);
    if (this.#buckets.size >= maxNames) {
      const [oldest] = this.#buckets.keys();
      this.#buckets.delete(oldest as string);
    }
    this.#buckets.set(name, { tokens: isThere ? tokens - 1 : tokens, at });
    return isThere ? 0 : (1 - tokens) / perSecond;
  }
}
