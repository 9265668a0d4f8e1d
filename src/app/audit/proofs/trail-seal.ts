/**
 * The seal, which is the last line of a trail's file: a signed note on all lines before it. The
 * tree covers the recorded events; the seal also covers the rest of an export, such as the source
 * and the names of keys.
 */

import { base64Of } from './bytes.ts';
import { noteLine, sourceOf } from './cloud-event.ts';
import { verifyNote } from './verifier.ts';

export interface Seal {
  /** The origin of the checkpoint in the file. */
  readonly origin: string;
  readonly storeId: string;
  readonly size: number;
  /** SHA-256 of all lines before the seal, each with the line feed that ends it. */
  readonly digest: Uint8Array;
}

/** Returns the signed text. It has five lines, so that it cannot pass for a checkpoint. */
export function sealText({ origin, storeId, size, digest }: Seal): string {
  return `store-orders/export/v1\n${origin}\n${sourceOf(storeId)}\n${size}\n${base64Of(digest)}\n`;
}

const BEGIN = '{"specversion":"1.0","id":"seal-';

/** Returns true for a line that begins like a seal. No event begins like that. */
export function isSeal(line: string): boolean {
  return line.startsWith(BEGIN);
}

/** Returns the reason why a line is not this seal, signed with the key; `undefined` if it is. */
export function problemOfSeal(line: string, seal: Seal, key: string): string | undefined {
  let note: unknown;
  try {
    note = Object(JSON.parse(line)).data;
  } catch {
    return 'it is no JSON';
  }
  if (typeof note !== 'string' || noteLine('Seal', seal.storeId, seal.size, note) !== line) {
    return 'it is not in the one form that it can have';
  }
  const signed = verifyNote(note, key);
  if (!signed.ok) return signed.reason;
  return signed.value === sealText(seal) ? undefined : 'it is of other lines than those before it';
}
