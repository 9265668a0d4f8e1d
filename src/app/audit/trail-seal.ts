import { createHash } from 'node:crypto';
import { sourceOf } from './cloud-event.ts';
import { verifyNote } from './verifier.ts';

/**
 * The last line of a trail's file: a signed note on all lines before it. The tree covers what was
 * recorded; the seal also covers what an export says beside that, such as the source and the names
 * of keys.
 */

/** What a seal says. */
export interface Seal {
  /** The origin of the checkpoint in the file. */
  readonly origin: string;
  readonly storeId: string;
  /** How many events there are. */
  readonly size: number;
  /** SHA-256 of all lines before the seal, each with the line feed that ends it. */
  readonly digest: Uint8Array;
}

/** Makes the digest of lines, one after another. */
export class LineDigest {
  readonly #hash = createHash('sha256');

  /** @param lines Each with the line feed that ends it. */
  add(lines: string): void {
    this.#hash.update(lines);
  }

  /** The digest so far. */
  value(): Buffer {
    return this.#hash.copy().digest();
  }
}

/** The text that is signed. It has five lines, so that nobody takes it for a checkpoint. */
export function sealText({ origin, storeId, size, digest }: Seal): string {
  const base64 = Buffer.from(digest).toString('base64');
  return `store-orders/export/v1\n${origin}\n${sourceOf(storeId)}\n${size}\n${base64}\n`;
}

/** The line with a seal, without what ends it. */
export function sealLine(storeId: string, size: number, note: string): string {
  return JSON.stringify({
    specversion: '1.0',
    id: `seal-${size}`,
    source: sourceOf(storeId),
    type: 'Seal',
    datacontenttype: 'text/plain',
    data: note,
  });
}

const BEGIN = '{"specversion":"1.0","id":"seal-';

/** Whether a line is meant to be a seal. No event begins so. */
export function isSeal(line: string): boolean {
  return line.startsWith(BEGIN);
}

/** Why a line is not the seal that says this and is signed with the key; `undefined` if it is. */
export function problemOfSeal(line: string, seal: Seal, key: string): string | undefined {
  let note: unknown;
  try {
    note = Object(JSON.parse(line)).data;
  } catch {
    return 'it is no JSON';
  }
  if (typeof note !== 'string' || sealLine(seal.storeId, seal.size, note) !== line) {
    return 'it is not in the one form that it can have';
  }
  const signed = verifyNote(note, key);
  if (!signed.ok) return signed.reason;
  return signed.value === sealText(seal) ? undefined : 'it is of other lines than those before it';
}
