/**
 * The points of small order of edwards25519. Under such a public key, a signature that nobody has made
 * holds on some texts or on all of them, and libraries disagree about it, as they do about a signature
 * that begins with such a point.
 */

/** The points as bytes in hex, without the sign, which is the highest bit of the last byte. */
const POINTS = [
  '00'.repeat(32),
  `01${'00'.repeat(31)}`,
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  `ec${'ff'.repeat(30)}7f`,
  `ed${'ff'.repeat(30)}7f`,
  `ee${'ff'.repeat(30)}7f`,
];

/** Returns true for bytes that are one of these points. */
export function isOfSmallOrder(point: Uint8Array): boolean {
  const y = Uint8Array.from(point);
  y[31] = Number(y[31]) % 128;
  return POINTS.includes(hexOf(y));
}

export function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
