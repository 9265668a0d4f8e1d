/** Converts records of refusals to texts and back: JSON that begins with a checksum of the rest. */

import { hash } from 'node:crypto';
import type { RefusalRecord } from '../../app/ports/refusal-trail.ts';
import { DamagedStore } from '../../app/ports/store.ts';

/** A text with its checksum: 32 hexadecimal digits. */
const CHECKED_RECORD = /^\{"checksum":"([0-9a-f]{32})",(.*)$/s;
/** The beginning of a record without a checksum, as an older version wrote it. */
const UNCHECKED_PREFIX = '{"at":';

/** Returns the text of a record, with its checksum. */
export function encodeRefusal(record: RefusalRecord): string {
  const text = JSON.stringify(record);
  return `{"checksum":"${checksumOf(text)}",${text.slice(1)}`;
}

/** Reads a record's text. Throws {@link DamagedStore} for one that is not as it was recorded. */
export function decodeRefusal(position: number, text: unknown): RefusalRecord {
  if (typeof text === 'string' && text.startsWith(UNCHECKED_PREFIX)) return parse(position, text);
  const [, checksum, rest] = CHECKED_RECORD.exec(String(text)) ?? [];
  const json = `{${rest}`;
  if (typeof text !== 'string' || checksum !== checksumOf(json)) throw damaged(position);
  return parse(position, json);
}

function parse(position: number, json: string): RefusalRecord {
  try {
    return JSON.parse(json);
  } catch {
    throw damaged(position);
  }
}

function damaged(position: number): DamagedStore {
  return new DamagedStore(`the refusal at position ${position} is not as it was recorded`);
}

function checksumOf(text: string): string {
  return hash('sha256', `store-orders refusal 1;${text}`).slice(0, 32);
}
