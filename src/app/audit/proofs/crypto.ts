/**
 * The cryptography of the verifier: SHA-256 and Ed25519, from Node's crypto module. The console has
 * the same functions for browsers in `src/console/crypto.ts`. All are synchronous, because a check
 * of a log hashes each of its records several times.
 */

import { createHash, createPublicKey, hash, verify } from 'node:crypto';

/** Returns 32 bytes. A string is hashed as UTF-8. */
export function sha256(data: string | Uint8Array): Uint8Array {
  // A string of bytes takes half the time of a buffer from the crypto module.
  return Buffer.from(hash('sha256', data, 'binary'), 'binary');
}

/** SHA-256 of a text that comes in parts, each hashed as UTF-8. */
interface Digester {
  update(part: string): unknown;
  digest(): Uint8Array;
}

export function sha256InParts(): Digester {
  return createHash('sha256');
}

/**
 * Returns true for a signature by Ed25519 (RFC 8032) on a text in UTF-8.
 * @param key The public key: 32 bytes.
 */
export function isSignedBy(key: Uint8Array, text: string, signature: Uint8Array): boolean {
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(key).toString('base64url') };
  const publicKey = createPublicKey({ key: jwk, format: 'jwk' });
  return verify(null, Buffer.from(text), publicKey, signature);
}
