/** A limit on requests by network, such as those without a valid key (docs/adr/0024). */
import type { Request } from 'express';
import { TokenBuckets } from '../../app/token-buckets.ts';
import { networkOf } from '../network.ts';

/** The most networks that are remembered: a few megabytes. */
const MAX_NETWORKS = 10_000;

/** Limits the requests of each network that are counted here. */
export class NetworkLimit {
  readonly #buckets: TokenBuckets;

  /** @param perMinute The number of requests at once, and in each minute after that. */
  constructor(perMinute: number) {
    const perSecond = perMinute / 60;
    this.#buckets = new TokenBuckets({ capacity: perMinute, perSecond, maxNames: MAX_NETWORKS });
  }

  /** Counts a request. Returns 0, or the seconds until the next retry if there were too many. */
  count(req: Request): number {
    return Math.ceil(this.#buckets.take(networkOf(req.ip, req.socket.remoteAddress)));
  }
}
