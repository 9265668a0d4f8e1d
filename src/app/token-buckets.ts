/** Rate limits: a token bucket for each of many names. */
import { CLOCKS } from './clock.ts';

interface Bucket {
  tokens: number;
  /** The elapsed time at which it held that many. */
  at: number;
}

export interface BucketSize {
  /** The tokens of a full bucket. */
  readonly capacity: number;
  /** The tokens that it gains from then on. */
  readonly perSecond: number;
  /** The names that are remembered; beyond it, the one that was used longest ago is forgotten. */
  readonly maxNames: number;
}

/** Rate limits by name, in constant memory: a token bucket for each. */
export class TokenBuckets {
  readonly #size: BucketSize;
  readonly #elapsed: () => number;
  /** By name, the one that was used longest ago first. */
  readonly #buckets = new Map<string, Bucket>();

  constructor(size: BucketSize, elapsed: () => number = CLOCKS.elapsed) {
    this.#size = size;
    this.#elapsed = elapsed;
  }

  /** Takes a token. Returns 0, or, where there is none, the seconds until there will be one. */
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
