/** The networks by which clients are counted. */
import { isIPv4, isIPv6 } from 'node:net';

/**
 * Returns the network by which the sender of a request is counted: its IPv4 address, or the /64
 * network of its IPv6 address, since each customer has at least one. If a proxy names a client by
 * anything but an address, the client counts as the proxy.
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
