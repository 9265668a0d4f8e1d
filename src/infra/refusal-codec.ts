import { hash } from 'node:crypto';
import type { RefusalRecord } from '../app/ports/refusal-trail.ts';
import { DamagedStore } from '../app/ports/store.ts';

/** Between records of refusals and their texts: JSON, with a checksum of all the rest in front. */

const CHECKED = /^\{"checksum":"([0-9a-f]{32})",(.*)$/s;
/** How a record begins that an older version has made, without a checksum. */
const UNCHECKED = '{"at":';

export function encodeRefusal(record: RefusalRecord): string {
  const text = JSON.stringify(record);
  return `{"checksum":"${checksumOf(text)}",${text.slice(1)}`;
}

/** Throws {@link DamagedStore} for a text that is not as it was recorded. */
export function decodeRefusal(position: number, text: unknown): RefusalRecord {
  if (typeof text === 'string' && text.startsWith(UNCHECKED)) return parse(position, text);
  const [, checksum, rest] = CHECKED.exec(String(text)) ?? [];
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
