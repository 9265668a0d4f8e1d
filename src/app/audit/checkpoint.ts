/**
 * Checkpoints (C2SP tlog-checkpoint): the state of the log at one size, in three lines (origin,
 * number of events, root of their tree), as a signed note (C2SP signed-note). Whoever stores one
 * can later show that the log was rewritten.
 */

import { createPrivateKey, createPublicKey, type KeyObject, randomBytes, sign } from 'node:crypto';
import { FIRST_EPOCH } from '../log/epochs.ts';
import { checkHash, sha256 } from '../log/merkle-tree.ts';

/** Returns the text of a checkpoint, without its signature. */
export function checkpointText(origin: string, size: number, root: Uint8Array): string {
  checkHash(root);
  if (!Number.isSafeInteger(size) || size < 0) throw new RangeError(`${size} is not a size`);
  return `${origin}\n${size}\n${base64(root)}\n`;
}

/**
 * Thrown for a text that is not a signing key. The message gives the reason and never quotes the
 * text.
 */
export class InvalidSigningKey extends Error {
  override readonly name = 'InvalidSigningKey';
}

/** The type of an Ed25519 signature in signed notes. */
const ED25519_TYPE = 1;
const SEED_BYTES = 32;
/** The prefix of an Ed25519 seed in PKCS #8 (RFC 8410): its algorithm and two lengths. */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');

/** No white space and no plus sign, which are delimiters. */
const KEY_NAME = /^[^\p{White_Space}\p{Cc}\p{Cs}+]+$/u;
/** The format of private keys in Go's package golang.org/x/mod/sumdb/note. */
const PRIVATE_KEY = /^PRIVATE\+KEY\+([^+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]{44})$/;

/**
 * An Ed25519 key with a name, which signs notes. In the log's first epoch, the name is also the
 * origin of checkpoints.
 */
export class NoteSigner {
  readonly name: string;
  /** The public key, for those who verify: `NAME+ID+BASE64`, which C2SP calls a vkey. */
  readonly verifierKey: string;
  readonly #seed: Buffer;
  readonly #key: KeyObject;
  readonly #id: Buffer;

  /**
   * @param seed 32 random bytes: the private key of RFC 8032.
   * @throws InvalidSigningKey if the name or the seed is invalid.
   */
  constructor(name: string, seed: Uint8Array) {
    if (!KEY_NAME.test(name)) {
      throw new InvalidSigningKey('the name of a key must not be empty nor have blanks or a +');
    }
    if (seed.length !== SEED_BYTES) {
      throw new InvalidSigningKey(`the seed of a key has ${SEED_BYTES} bytes, not ${seed.length}`);
    }
    this.name = name;
    this.#seed = Buffer.from(seed);
    const key = Buffer.concat([PKCS8, this.#seed]);
    this.#key = createPrivateKey({ key, format: 'der', type: 'pkcs8' });
    const { x = '' } = createPublicKey(this.#key).export({ format: 'jwk' });
    const publicKey = Buffer.concat([Buffer.of(ED25519_TYPE), Buffer.from(x, 'base64url')]);
    const named = Buffer.concat([Buffer.from(`${name}\n`), publicKey]);
    this.#id = sha256(named).subarray(0, 4);
    this.verifierKey = `${name}+${this.#id.toString('hex')}+${base64(publicKey)}`;
  }

  static generate(name: string): NoteSigner {
    return new NoteSigner(name, randomBytes(SEED_BYTES));
  }

  /** Parses the text of {@link privateKey}. Throws {@link InvalidSigningKey} for anything else. */
  static parse(text: string): NoteSigner {
    const [, name = '', id, key = ''] = PRIVATE_KEY.exec(text) ?? [];
    const [algorithm, ...seed] = Buffer.from(key, 'base64');
    if (algorithm !== ED25519_TYPE) {
      throw new InvalidSigningKey('a signing key reads PRIVATE+KEY+name+id+base64, with Ed25519');
    }
    const signer = new NoteSigner(name, Buffer.from(seed));
    if (signer.#id.toString('hex') !== id) {
      throw new InvalidSigningKey("the signing key's id is not that of its name and key");
    }
    return signer;
  }

  /** Returns the private key as text. Its holder can sign in the log's name. */
  privateKey(): string {
    const seed = Buffer.concat([Buffer.of(ED25519_TYPE), this.#seed]);
    return `PRIVATE+KEY+${this.name}+${this.#id.toString('hex')}+${base64(seed)}`;
  }

  /**
   * Returns the text as a signed note: for the same text, the same bytes. Throws a RangeError
   * unless the text ends with a line feed and has no other control characters.
   */
  sign(text: string): string {
    if (!text.endsWith('\n') || !text.isWellFormed() || /[^\P{Cc}\n]/u.test(text)) {
      throw new RangeError('a note is made of whole lines, without control characters');
    }
    const signature = Buffer.concat([this.#id, sign(null, Buffer.from(text), this.#key)]);
    return `${text}\n— ${this.name} ${base64(signature)}\n`;
  }

  /**
   * Returns the signature of a message that is no note. Throws a RangeError for a text that ends with a
   * line feed: all notes do, so that no signature of a message is ever one of a note.
   */
  signMessage(text: string): Buffer {
    if (text.endsWith('\n')) throw new RangeError('a message that ends as a note does');
    return sign(null, Buffer.from(text), this.#key);
  }

  /** Returns a signed checkpoint of this key's log in one of its epochs. */
  signCheckpoint(size: number, root: Uint8Array, epoch = FIRST_EPOCH): string {
    return this.sign(checkpointText(originOf(this.name, epoch), size, root));
  }
}

/**
 * Returns the origin of checkpoints: the key's name and, in a later epoch, a plus sign and the
 * epoch. No name contains a plus sign.
 */
function originOf(name: string, epoch: string): string {
  return epoch === FIRST_EPOCH ? name : `${name}+${epoch}`;
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}
