/** Rate limits: token buckets, one alone or one for each of many names. */
import { CLOCKS } from './clock.ts';

export interface BucketSize {
  /** The tokens of a full bucket. */
  readonly capacity: number;
  /** The tokens that it gains per second, up to its capacity. */
  readonly perSecond: number;
}

/** The tolerance of rounding errors: a client that waits as told must not be refused. */
const ROUNDING_TOKENS = 1e-9;

/** A token bucket. Its size is passed at each use, because it may change. */
export class TokenBucket {
  #tokens: number;
  #at: number;

  /** @param at The present, in milliseconds of elapsed time. */
  constructor(tokens: number, at: number) {
    this.#tokens = tokens;
    this.#at = at;
  }

  /** The tokens after the last use, with fractions. */
  get tokens(): number {
    return this.#tokens;
  }

  /**
   * Takes some tokens, or none. Returns 0, or, where there are too few, the seconds until there will be
   * enough.
   */
  take({ capacity, perSecond }: BucketSize, at: number, count = 1): number {
    const gained = ((at - this.#at) / 1_000) * perSecond;
    const tokens = Math.min(capacity, this.#tokens + gained);
    const isThere = tokens >= count - ROUNDING_TOKENS;
    this.#tokens = isThere ? Math.max(0, tokens - count) : tokens;
    this.#at = at;
    return isThere ? 0 : (count - tokens) / perSecond;
  }

  /** Returns tokens that were taken. The next use limits them to the capacity. */
  giveBack(count: number): void {
    this.#tokens += count;
  }
}

export interface BucketsSize extends BucketSize {
  /** The names that are remembered; beyond it, the one that was used longest ago is forgotten. */
  readonly maxNames: number;
}

/** Rate limits by name, in constant memory: a token bucket of the same size for each. */
export class TokenBuckets {
  readonly #size: BucketsSize;
  readonly #elapsed: () => number;
  /** By name, the one that was used longest ago first. */
  readonly #buckets = new Map<string, TokenBucket>();

  constructor(size: BucketsSize, elapsed: () => number = CLOCKS.elapsed) {
    this.#size = size;
    this.#elapsed = elapsed;
  }

  /** Takes a token. Returns 0, or the seconds until there will be one. */
  take(name: string): number {
    const { capacity, maxNames } = this.#size;
    const at = this.#elapsed();
    const bucket = this.#buckets.get(name) ?? new TokenBucket(capacity, at);
    this.#buckets.delete(name);
    if (this.#buckets.size >= maxNames) {
      const [oldest] = this.#buckets.keys();
      this.#buckets.delete(oldest as string);
    }
    this.#buckets.set(name, bucket);
    return bucket.take(this.#size, at);
  }
}
