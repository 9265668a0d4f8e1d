/**
 * Cosignatures of checkpoints (C2SP tlog-cosignature), by Ed25519: a witness states that by a time
 * the tree of this checkpoint was the largest that it had seen of the log, and that it is
 * consistent with all earlier ones. They are further signature lines of the checkpoint's note.
 */

import {
  holdsUnder,
  isInNameOf,
  type NoteKey,
  readNote,
  readNoteKey,
  type Verdict,
} from './verifier.ts';

/** The type of such cosignatures in signed notes. */
export const COSIGNATURE_TYPE = 4;

/** The time and the signature. */
const TIME_BYTES = 8;
const COSIGNATURE_BYTES = TIME_BYTES + 64;

/**
 * The last second of the year 9999: a later time is none. Neither is 0, which stands for no time: a
 * cosignature without one may be of a subtree, and says nothing about the size (C2SP tlog-witness).
 */
const MAX_TIME_S = 253_402_300_799n;

/** The public key of a witness. */
export interface CosignerKey extends NoteKey {
  /** The key as text: `NAME+ID+BASE64`. */
  readonly vkey: string;
}

/** Parses the public key of a witness. */
export function cosignerKey(vkey: string): Verdict<CosignerKey> {
  const key = readNoteKey(vkey, COSIGNATURE_TYPE);
  return key.ok ? { ok: true, value: { ...key.value, vkey } } : key;
}

/** Returns the text that a witness signs. */
export function cosignedText(checkpoint: string, atS: number): string {
  return `cosignature/v1\ntime ${atS}\n${checkpoint}`;
}

/**
 * Returns the time of a witness's cosignature of a checkpoint, in seconds of Unix time, the newest of
 * several; `undefined` where it has not cosigned. Refuses a note with a cosignature by this key that
 * is not valid.
 */
export function verifyCosignature(note: string, key: CosignerKey): Verdict<number | undefined> {
  const read = readNote(note);
  if (!read.ok) return read;
  let newestS: number | undefined;
  for (const each of read.value.signatures) {
    if (!isInNameOf(each, key)) continue;
    const { signature } = each;
    const atS = timeOf(signature);
    const isValid =
      atS !== undefined &&
      holdsUnder(key, cosignedText(read.value.text, atS), signature.subarray(TIME_BYTES));
    if (!isValid) return { ok: false, reason: `the cosignature by ${key.name} is not valid` };
    newestS = Math.max(newestS ?? 0, atS);
  }
  return { ok: true, value: newestS };
}

/** Returns the same as {@link verifyCosignature}, with the witness's public key as text. */
export function verifyCosignatureBy(note: string, vkey: string): Verdict<number | undefined> {
  const key = cosignerKey(vkey);
  return key.ok ? verifyCosignature(note, key.value) : key;
}

function timeOf(signature: Uint8Array): number | undefined {
  if (signature.length !== COSIGNATURE_BYTES) return undefined;
  const time = new DataView(signature.buffer, signature.byteOffset).getBigUint64(0);
  return time > 0n && time <= MAX_TIME_S ? Number(time) : undefined;
}
