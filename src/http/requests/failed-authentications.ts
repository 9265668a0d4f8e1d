/** The limit on requests without a valid key, by network (docs/adr/0024). */
import type { Request } from 'express';
import { TokenBuckets } from '../../app/token-buckets.ts';
import { networkOf } from '../network.ts';

/** The addresses that are remembered: a few megabytes at most. */
const MAX_ADDRESSES = 10_000;

/**
 * Bounds how many requests without a valid key one address gets a 401 for. A request with a valid key is
 * never counted and never refused here, whatever its neighbours behind the same address have sent.
 */
export class FailedAuthentications {
  readonly #buckets: TokenBuckets;

  /** @param perMinute The number that is answered with 401, at once and in each minute after that. */
  constructor(perMinute: number, elapsed?: () => number) {
    const size = { capacity: perMinute, perSecond: perMinute / 60, maxNames: MAX_ADDRESSES };
    this.#buckets = new TokenBuckets(size, elapsed);
  }

  /** Counts one. Returns 0, or, where it was one too many, after how many seconds to try again. */
  count(req: Request): number {
    return Math.ceil(this.#buckets.take(networkOf(req.ip, req.socket.remoteAddress)));
  }
}
