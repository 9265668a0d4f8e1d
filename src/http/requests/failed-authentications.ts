/** The limit on requests without a valid key, by network (docs/adr/0024). */
import { isIPv4, isIPv6 } from 'node:net';
import type { Request } from 'express';
import { TokenBuckets } from '../../app/token-buckets.ts';

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

/**
 * Returns the name that the sender of a request is counted by: an IPv4 address, or the /64 network of an
 * IPv6 address, of which each customer has at least one. A client that a proxy names by something else
 * than an address counts as the proxy.
 */
export function networkOf(client: string | undefined, peer: string | undefined): string {
  return networkOfAddress(client) ?? networkOfAddress(peer) ?? 'unknown';
}

function networkOfAddress(address = ''): string | undefined {
  if (isIPv4(address)) return address;
  if (!isIPv6(address)) return undefined;
  const groups = groupsOf(address);
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  if (!isMapped)
    return groups
      .slice(0, 4)
      .map((group) => group.toString(16))
      .join(':');
  const [high = 0, low = 0] = groups.slice(6);
  return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.');
}

/** Returns the eight numbers of an IPv6 address. */
function groupsOf(address: string): readonly number[] {
  const [begin = '', end] = address
    .replace(/%.*$/, '')
    .replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, ...bytes: string[]) => {
      const [a = 0, b = 0, c = 0, d = 0] = bytes.slice(0, 4).map(Number);
      return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
    })
    .split('::');
  const read = (text = '') => (text === '' ? [] : text.split(':').map((hex) => parseInt(hex, 16)));
  const [first, last] = [read(begin), read(end)];
  return [...first, ...Array(8 - first.length - last.length).fill(0), ...last];
}
