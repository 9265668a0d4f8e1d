/** The private keys of those who sign notes, as Go's package golang.org/x/mod/sumdb/note writes them. */

import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  randomBytes,
  sign,
} from 'node:crypto';
import { sha256 } from '../../log/merkle-tree.ts';

/**
 * Thrown for a text that is not a signing key. The message gives the reason and never quotes the
 * text.
 */
export class InvalidSigningKey extends Error {
  override readonly name = 'InvalidSigningKey';
}

const SEED_BYTES = 32;
/** The prefix of an Ed25519 seed in PKCS #8 (RFC 8410): its algorithm and two lengths. */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');

/** No white space and no plus sign, which are delimiters. */
const KEY_NAME = /^[^\p{White_Space}\p{Cc}\p{Cs}+]+$/u;
const PRIVATE_KEY = /^PRIVATE\+KEY\+([^+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]{44})$/;

/** An Ed25519 key with a name, for one type of signatures (C2SP signed-note). */
export abstract class SigningKey {
  readonly name: string;
  /** The public key, for those who verify: `NAME+ID+BASE64`, which C2SP calls a vkey. */
  readonly verifierKey: string;
  readonly #type: number;
  readonly #seed: Buffer;
  readonly #key: KeyObject;
  readonly #id: Buffer;

  /**
   * @param seed 32 random bytes: the private key of RFC 8032.
   * @throws InvalidSigningKey if the name or the seed is invalid.
   */
  constructor(name: string, seed: Uint8Array, type: number) {
    if (!KEY_NAME.test(name)) {
      throw new InvalidSigningKey('the name of a key must not be empty nor have blanks or a +');
    }
    if (seed.length !== SEED_BYTES) {
      throw new InvalidSigningKey(`the seed of a key has ${SEED_BYTES} bytes, not ${seed.length}`);
    }
    this.name = name;
    this.#type = type;
    this.#seed = Buffer.from(seed);
    const key = Buffer.concat([PKCS8, this.#seed]);
    this.#key = createPrivateKey({ key, format: 'der', type: 'pkcs8' });
    const { x = '' } = createPublicKey(this.#key).export({ format: 'jwk' });
    const publicKey = Buffer.concat([Buffer.of(type), Buffer.from(x, 'base64url')]);
    const named = Buffer.concat([Buffer.from(`${name}\n`), publicKey]);
    this.#id = sha256(named).subarray(0, 4);
    this.verifierKey = `${name}+${this.#id.toString('hex')}+${publicKey.toString('base64')}`;
  }

  /** Returns a secret of 32 bytes for a purpose, which is as hard to guess as the private key. */
  secretFor(purpose: string): Buffer {
    return createHmac('sha256', this.#seed).update(purpose).digest();
  }

  /** Returns the private key as text. Its holder can sign in this key's name. */
  privateKey(): string {
    const seed = Buffer.concat([Buffer.of(this.#type), this.#seed]).toString('base64');
    return `PRIVATE+KEY+${this.name}+${this.#id.toString('hex')}+${seed}`;
  }

  protected signText(text: string): Buffer {
    return sign(null, Buffer.from(text), this.#key);
  }

  /** Returns the line of a note that carries a signature. */
  protected signatureLine(signature: Uint8Array): string {
    const named = Buffer.concat([this.#id, signature]);
    return `— ${this.name} ${named.toString('base64')}\n`;
  }
}

export function newSeed(): Buffer {
  return randomBytes(SEED_BYTES);
}

/**
 * Parses a private key of a kind. Throws {@link InvalidSigningKey} for anything else, also for a key
 * that makes signatures of another type.
 */
export function parsePrivateKey<Key extends SigningKey>(
  text: string,
  Kind: new (name: string, seed: Uint8Array) => Key,
): Key {
  const [, name = '', id, base64 = ''] = PRIVATE_KEY.exec(text) ?? [];
  const seed = Buffer.from(base64, 'base64').subarray(1);
  if (id === undefined) {
    throw new InvalidSigningKey('a signing key reads PRIVATE+KEY+name+id+base64, with Ed25519');
  }
  const key = new Kind(name, seed);
  if (key.privateKey() === text) return key;
  throw new InvalidSigningKey("the signing key's id is not that of its name and key");
}

/**
 * Returns the secret with which the snapshots of a log are made.
 * @param signer The key that signs for the log; absent: nobody signs, and anybody can make one.
 */
export function snapshotKeyOf(signer: SigningKey | undefined): Uint8Array {
  return signer?.secretFor('store-orders/snapshot') ?? new Uint8Array();
}
