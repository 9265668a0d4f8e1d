/** The limit on requests without a valid key, by network (docs/adr/0024). */
import type { Request } from 'express';
import { TokenBuckets } from '../../app/token-buckets.ts';
import { networkOf } from '../network.ts';

/** The most networks that are remembered: a few megabytes. */
const MAX_ADDRESSES = 10_000;

/**
 * Limits the 401 responses to one network. A request with a valid key is never counted or refused
 * here, whatever other clients behind the same address have sent.
 */
export class FailedAuthentications {
  readonly #buckets: TokenBuckets;

  /** @param perMinute The number of 401 responses at once, and in each minute after that. */
  constructor(perMinute: number, elapsed?: () => number) {
    const size = { capacity: perMinute, perSecond: perMinute / 60, maxNames: MAX_ADDRESSES };
    this.#buckets = new TokenBuckets(size, elapsed);
  }

  /** Counts a failure. Returns 0, or the seconds until the next retry if there were too many. */
  count(req: Request): number {
    return Math.ceil(this.#buckets.take(networkOf(req.ip, req.socket.remoteAddress)));
  }
}
