/**
 * Applies the limits of API keys: a rate by a token bucket for each key, and counts of the requests
 * under way and of the open event streams. They are of this process alone: see docs/adr/0031.
 */

import { CLOCKS } from '../clock.ts';
import type { ApiKey, RateLimit } from '../ports/key-store.ts';
import { TokenBucket } from '../token-buckets.ts';

/**
 * The most keys whose use is remembered; beyond it, those without requests in flight are forgotten.
 */
const MAX_KEYS = 10_000;

/** The state of the rate of a key. */
export interface Quota {
  readonly rate: RateLimit;
  /** The requests that would be admitted now. */
  readonly remaining: number;
  /** The seconds until one more would be admitted, or the one that was refused, rounded up; at least 1. */
  readonly moreInS: number;
}

/** The admission or refusal of a request, with a quota if the key has a rate. */
export type Entry =
  /** The caller must call `leave` when the request is over, at least once. */
  | { readonly kind: 'admitted'; readonly quota?: Quota; readonly leave: () => void }
  | { readonly kind: 'too_fast'; readonly quota: Quota }
  | { readonly kind: 'too_many'; readonly quota?: Quota };

/** The use of a key. */
interface Use {
  bucket: TokenBucket | undefined;
  underWay: number;
  streams: number;
}

export class KeyLimiter {
  readonly #streamsPerKey: number;
  readonly #elapsed: () => number;
  readonly #maxKeys: number;
  readonly #uses = new Map<string, Use>();

  /** @param streamsPerKey The event streams of a key that has no limit of its own for them. */
  constructor(streamsPerKey: number, elapsed = CLOCKS.elapsed, maxKeys = MAX_KEYS) {
    this.#streamsPerKey = streamsPerKey;
    this.#elapsed = elapsed;
    this.#maxKeys = maxKeys;
  }

  /** The number of keys that are remembered. */
  get size(): number {
    return this.#uses.size;
  }

  /**
   * Counts a request of a key with limits. A request that is refused because too many are in flight
   * has also used the rate.
   */
  enter({ id, limits = {} }: ApiKey): Entry {
    const { rate, concurrent = Number.POSITIVE_INFINITY } = limits;
    const use = this.#useOf(id);
    const quota = this.#take(use, rate);
    if (quota !== undefined && !quota.isTaken) return { kind: 'too_fast', quota };
    const shown = quota === undefined ? {} : { quota };
    if (use.underWay >= concurrent) return { kind: 'too_many', ...shown };
    use.underWay += 1;
    const leave = onlyOnce(() => {
      use.underWay -= 1;
      this.#forgetIfUnused(id, use);
    });
    return { kind: 'admitted', ...shown, leave };
  }

  /**
   * Counts the further commands of a request that was admitted: see {@link Group}. Returns the quota of
   * a key with a rate. If too little is left of it, nothing is taken, and what `enter` took is given
   * back: a refused request takes nothing.
   */
  takeMore({ id, limits }: ApiKey, count: number): (Quota & { isTaken: boolean }) | undefined {
    const use = this.#useOf(id);
    use.bucket?.giveBack(1);
    return this.#take(use, limits?.rate, 1 + count);
  }

  /**
   * Counts an event stream. Returns a function that must be called at its end, at least once;
   * `undefined` if there are too many.
   */
  openStream({ id, limits }: ApiKey): (() => void) | undefined {
    const use = this.#useOf(id);
    if (use.streams >= (limits?.streams ?? this.#streamsPerKey)) return undefined;
    use.streams += 1;
    return onlyOnce(() => {
      use.streams -= 1;
      this.#forgetIfUnused(id, use);
    });
  }

  #take(
    use: Use,
    rate: RateLimit | undefined,
    count = 1,
  ): (Quota & { isTaken: boolean }) | undefined {
    if (rate === undefined) {
      use.bucket = undefined;
      return undefined;
    }
    const { requests, seconds, burst } = rate;
    const size = { capacity: burst, perSecond: requests / seconds };
    const at = this.#elapsed();
    use.bucket ??= new TokenBucket(burst, at);
    const isTaken = use.bucket.take(size, at, count) === 0;
    const { tokens } = use.bucket;
    const remaining = Math.floor(tokens);
    // More than the burst are never there together.
    const next = isTaken || count > burst ? remaining + 1 : count;
    const moreInS = Math.ceil((next - tokens) / size.perSecond);
    return { rate, remaining, moreInS, isTaken };
  }

  #useOf(id: string): Use {
    const known = this.#uses.get(id);
    if (known !== undefined) return known;
    if (this.#uses.size >= this.#maxKeys) this.#forgetIdle();
    const use: Use = { bucket: undefined, underWay: 0, streams: 0 };
    this.#uses.set(id, use);
    return use;
  }

  #forgetIfUnused(id: string, { bucket, underWay, streams }: Use): void {
    if (bucket === undefined && underWay === 0 && streams === 0) this.#uses.delete(id);
  }

  #forgetIdle(): void {
    for (const [id, { underWay, streams }] of this.#uses) {
      if (underWay === 0 && streams === 0) this.#uses.delete(id);
    }
  }
}

function onlyOnce(act: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) act();
    isDone = true;
  };
}
