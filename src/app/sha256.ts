import { hash } from 'node:crypto';

/** SHA-256 of bytes, or of a text in UTF-8: 32 bytes. */
export function sha256(data: string | Uint8Array): Buffer {
  // By way of a string of bytes, because a buffer that crypto makes itself takes a microsecond and
  // has memory of its own, while this one is cut from Node's pool: half the time.
  return Buffer.from(hash('sha256', data, 'binary'), 'binary');
}
