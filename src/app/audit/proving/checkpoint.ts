/**
 * Checkpoints (C2SP tlog-checkpoint): the state of the log at one size, in three lines (origin,
 * number of events, root of their tree), as a signed note (C2SP signed-note). Whoever stores one
 * can later show that the log was rewritten.
 */

import { FIRST_EPOCH } from '../../log/epochs.ts';
import { checkHash } from '../../log/merkle-tree.ts';
import { base64Of } from '../proofs/bytes.ts';
import { newSeed, parsePrivateKey, SigningKey } from './signing-key.ts';

/** Returns the text of a checkpoint, without its signature. */
export function checkpointText(origin: string, size: number, root: Uint8Array): string {
  checkHash(root);
  if (!Number.isSafeInteger(size) || size < 0) throw new RangeError(`${size} is not a size`);
  return `${origin}\n${size}\n${base64Of(root)}\n`;
}

/** The type of an Ed25519 signature in signed notes. */
const NOTE_TYPE = 1;

/**
 * An Ed25519 key with a name, which signs notes. In the log's first epoch, the name is also the
 * origin of checkpoints.
 */
export class NoteSigner extends SigningKey {
  /** See {@link SigningKey}. */
  constructor(name: string, seed: Uint8Array) {
    super(name, seed, NOTE_TYPE);
  }

  static generate(name: string): NoteSigner {
    return new NoteSigner(name, newSeed());
  }

  /** Parses the text of {@link privateKey}. Throws {@link InvalidSigningKey} for anything else. */
  static parse(text: string): NoteSigner {
    return parsePrivateKey(text, NoteSigner);
  }

  /**
   * Returns the text as a signed note: for the same text, the same bytes. Throws a RangeError
   * unless the text ends with a line feed and has no other control characters.
   */
  sign(text: string): string {
    if (!text.endsWith('\n') || !text.isWellFormed() || /[^\P{Cc}\n]/u.test(text)) {
      throw new RangeError('a note is made of whole lines, without control characters');
    }
    return `${text}\n${this.signatureLine(this.signText(text))}`;
  }

  /**
   * Returns the signature of a message that is no note. Throws a RangeError for a text that ends with a
   * line feed: all notes do, so that no signature of a message is ever one of a note.
   */
  signMessage(text: string): Buffer {
    if (text.endsWith('\n')) throw new RangeError('a message that ends as a note does');
    return this.signText(text);
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
