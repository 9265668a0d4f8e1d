import { Point } from '@noble/ed25519';
import { keyIdOf } from './vector-log.ts';

/** A point of order 8: with it, all points of small order. */
export const ORDER_8 = '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05';
/** The prime of the field. */
const P = 2n ** 255n - 19n;

/** Returns the public keys of the log `log` that are points of small order, in each form of their bytes. */
export function smallOrderKeys(): readonly string[] {
  let point = Point.ZERO;
  const found = new Set<string>();
  // The point generates all eight; as y < p + 1 < 2^255, two of them have a second form.
  for (let count = 0; count < 8; count += 1) {
    const y = Buffer.from(point.toHex(), 'hex').reverse();
    y.writeUInt8(y.readUInt8(0) % 128, 0);
    const value = BigInt(`0x${y.toString('hex')}`);
    for (const form of [value, value + P].filter((each) => each < 2n ** 255n)) {
      for (const sign of [0n, 2n ** 255n]) found.add((form + sign).toString(16).padStart(64, '0'));
    }
    point = point.add(Point.fromHex(ORDER_8));
  }
  return [...found].map((each) => keyOf([1, ...Buffer.from(each, 'hex').reverse()]));
}

/** Returns a public key of the same log that is no such point, but very near to one. */
export function neighbourKey(): string {
  return keyOf([1, ...Buffer.from(ORDER_8, 'hex')].with(5, 0));
}

/** Returns a public key: the bytes are its type and the point. */
function keyOf(bytes: readonly number[]): string {
  const id = keyIdOf('log', Uint8Array.from(bytes)).toString('hex');
  return `log+${id}+${Buffer.from(bytes).toString('base64')}`;
}
