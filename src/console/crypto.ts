/**
 * The cryptography of the verifier in a browser: takes the place of `src/app/audit/crypto.ts` in the
 * bundle. Web Cryptography is asynchronous for each hash, and absent on origins of plain HTTP.
 */
import { hashes, verify } from '@noble/ed25519';
import { sha256 as hashOf, sha512 } from '@noble/hashes/sha2.js';

type Cryptography = typeof import('../app/audit/crypto.ts');

hashes.sha512 = sha512;

const utf8 = new TextEncoder();

export const sha256: Cryptography['sha256'] = (data) =>
  hashOf(typeof data === 'string' ? utf8.encode(data) : data);

export const sha256InParts: Cryptography['sha256InParts'] = () => {
  const digester = hashOf.create();
  return {
    update: (part) => digester.update(utf8.encode(part)),
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
