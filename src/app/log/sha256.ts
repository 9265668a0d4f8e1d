import { hash } from 'node:crypto';

/** Returns the SHA-256 of bytes, or of a text in UTF-8: 32 bytes. */
export function sha256(data: string | Uint8Array): Buffer {
  // Through a binary string, because a buffer that crypto allocates takes a microsecond and has
  // memory of its own, while this one comes from Node's pool: half the time.
  return Buffer.from(hash('sha256', data, 'binary'), 'binary');
}
