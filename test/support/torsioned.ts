/**
 * Signatures by Ed25519 with a component of small order, made with the private key. They hold if both sides of
 * the equation are multiplied by the cofactor 8 (RFC 8032, section 5.1.7), which some libraries do.
 */
import { hash } from 'node:crypto';
import { hashes, Point, utils } from '@noble/ed25519';
import { ORDER_8 } from './small-order-keys.ts';

hashes.sha512 = (message) => hash('sha512', message, 'buffer');

const ORDER = Point.CURVE().n;
const TORSION = Point.fromHex(ORDER_8);

/** Returns a signature whose first half is a point with a component of small order. */
export function torsionedSignature(seed: Uint8Array, text: string): Buffer {
  const { point } = utils.getExtendedPublicKey(seed);
  return signatureOf(seed, point, TORSION, text, () => true);
}

/** Returns a signature whose first half is the neutral point: OpenSSL 3.0 accepts it, and 3.5 does not. */
export function signatureWithoutNonce(seed: Uint8Array, text: string): Buffer {
  const { point, scalar } = utils.getExtendedPublicKey(seed);
  const first = Point.ZERO.toBytes();
  return Buffer.concat([first, secondHalf(first, point, 0n, scalar, text).bytes]);
}

/** Returns a note with such signatures in the place of its own, all of which are by one key. */
export function torsionedNote(seed: Uint8Array, note: string): string {
  const blank = note.lastIndexOf('\n\n');
  const signature = torsionedSignature(seed, note.slice(0, blank + 1));
  return note.replaceAll(/(?<=\n— \S+ )\S+/g, (line) => {
    const id = Buffer.from(line, 'base64').subarray(0, 4);
    return Buffer.concat([id, signature]).toString('base64');
  });
}

/** Returns the public key of a seed, plus a point of order 8. */
export function mixedKey(seed: Uint8Array): Uint8Array {
  return mixedPoint(seed).toBytes();
}

/**
 * Returns a signature under {@link mixedKey}.
 * @param holds True for one that holds without the cofactor too: one in eight does.
 */
export function mixedSignature(seed: Uint8Array, text: string, holds: boolean): Buffer {
  const fits = (factor: bigint) => (factor % 8n === 0n) === holds;
  return signatureOf(seed, mixedPoint(seed), Point.ZERO, text, fits);
}

function mixedPoint(seed: Uint8Array): Point {
  return utils.getExtendedPublicKey(seed).point.add(TORSION);
}

/** Returns the first signature whose factor of the public key fits. */
function signatureOf(
  seed: Uint8Array,
  key: Point,
  torsion: Point,
  text: string,
  fits: (factor: bigint) => boolean,
): Buffer {
  const { scalar } = utils.getExtendedPublicKey(seed);
  for (let round = 0; ; round += 1) {
    const nonce = numberIn(hash('sha512', `${round} ${text}`, 'buffer')) % ORDER;
    const first = Point.BASE.multiply(nonce).add(torsion).toBytes();
    const { factor, bytes } = secondHalf(first, key, nonce, scalar, text);
    if (fits(factor)) return Buffer.concat([first, bytes]);
  }
}

/** Returns the second half of a signature, and the factor of the public key in it. */
function secondHalf(first: Uint8Array, key: Point, nonce: bigint, scalar: bigint, text: string) {
  const hashed = Buffer.concat([first, key.toBytes(), Buffer.from(text)]);
  const factor = numberIn(hash('sha512', hashed, 'buffer')) % ORDER;
  const sum = (nonce + factor * scalar) % ORDER;
  return { factor, bytes: Buffer.from(sum.toString(16).padStart(64, '0'), 'hex').reverse() };
}

function numberIn(bytes: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`);
}
