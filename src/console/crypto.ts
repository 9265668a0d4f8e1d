/**
 * The cryptography of the verifier in a browser: takes the place of `src/app/audit/proofs/crypto.ts` in the
 * bundle. Web Cryptography is asynchronous for each hash, and absent on origins of plain HTTP.
 */
import { etc, Point } from '@noble/ed25519';
import { sha256 as hashOf, sha512 } from '@noble/hashes/sha2.js';

type Cryptography = typeof import('../app/audit/proofs/crypto.ts');

/** The bytes of each half of a signature: a point, and a number. */
const HALF_BYTES = 32;

const utf8 = new TextEncoder();
/** The bytes of a text that is hashed at once: a new array for each takes a sixth of a check. */
const scratch = new Uint8Array(65_536);

/** Returns the bytes of a text, until the next call. */
function bytesOf(text: string): Uint8Array {
  if (text.length * 3 > scratch.length) return utf8.encode(text);
  return scratch.subarray(0, utf8.encodeInto(text, scratch).written);
}

export const sha256: Cryptography['sha256'] = (data) =>
  hashOf(typeof data === 'string' ? bytesOf(data) : data);

export const sha256InParts: Cryptography['sha256InParts'] = () => {
  const digester = hashOf.create();
  return {
    update: (part) => digester.update(bytesOf(part)),
    digest: () => digester.digest(),
  };
};

export const isSignedBy: Cryptography['isSignedBy'] = (key, text, signature) => {
  try {
    const [first, second] = [signature.subarray(0, HALF_BYTES), signature.subarray(HALF_BYTES)];
    if (second.length !== HALF_BYTES) return false;
    const hashed = sha512(etc.concatBytes(first, key, utf8.encode(text)));
    const factor = etc.mod(numberIn(hashed), Point.CURVE().n);
    const product = Point.fromBytes(key).multiply(factor, false);
    // Without the cofactor, as OpenSSL does: `verify` of @noble/ed25519 multiplies by it. Throws for a second
    // half that is not reduced.
    const expected = Point.BASE.multiply(numberIn(second), false).subtract(product);
    return expected.toHex() === etc.bytesToHex(first);
  } catch {
    return false;
  }
};

/** Returns the number in bytes, of which the first is the lowest. */
function numberIn(bytes: Uint8Array): bigint {
  return BigInt(`0x${etc.bytesToHex(Uint8Array.from(bytes).reverse())}`);
}
