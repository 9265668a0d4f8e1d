/**
 * The cryptography of the verifier in a browser: takes the place of `src/app/audit/proofs/crypto.ts` in the
 * bundle. Web Cryptography is asynchronous for each hash, and absent on origins of plain HTTP.
 */
import { hashes, verify } from '@noble/ed25519';
import { sha256 as hashOf, sha512 } from '@noble/hashes/sha2.js';

type Cryptography = typeof import('../app/audit/proofs/crypto.ts');

hashes.sha512 = sha512;

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
    // By RFC 8032, as OpenSSL does, and not by the laxer rules of ZIP 215.
    return verify(signature, utf8.encode(text), key, { zip215: false });
  } catch {
    return false;
  }
};
