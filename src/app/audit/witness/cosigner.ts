/** The key of a witness, which cosigns the checkpoints of others (C2SP tlog-cosignature). */

import { COSIGNATURE_TYPE, cosignedText } from '../proofs/cosignature.ts';
import { newSeed, parsePrivateKey, SigningKey } from '../proving/signing-key.ts';

/** An Ed25519 key with a name, which signs cosignatures only. */
export class Cosigner extends SigningKey {
  /** See {@link SigningKey}. */
  constructor(name: string, seed: Uint8Array) {
    super(name, seed, COSIGNATURE_TYPE);
  }

  static generate(name: string): Cosigner {
    return new Cosigner(name, newSeed());
  }

  /** Parses the text of {@link privateKey}. Throws `InvalidSigningKey` for anything else. */
  static parse(text: string): Cosigner {
    return parsePrivateKey(text, Cosigner);
  }

  /**
   * Returns the signature line that joins those of a checkpoint's note.
   * @param checkpoint Its text, without signatures.
   * @param atS The present time in whole seconds of Unix time.
   */
  cosign(checkpoint: string, atS: number): string {
    const time = Buffer.alloc(8);
    time.writeBigUInt64BE(BigInt(atS));
    return this.signatureLine(Buffer.concat([time, this.signText(cosignedText(checkpoint, atS))]));
  }
}
