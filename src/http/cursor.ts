import { crc32 } from 'node:zlib';
import type { OrderFilter } from '../app/order-query.ts';
import type { OrderId } from '../domain/order-id.ts';

/**
 * Where a page of the list begins, in a form that clients hand back as it is: the number of this
 * form, the id of the last order before it, and a checksum of both and of the filter. So a cursor
 * that was mistyped, cut off, or brought to another list than its own is told from a good one. It
 * is no secret, and guards nothing.
 */
const FORM = 1;
const [ID, CHECK, END] = [1, 9, 13];

/** How many characters a cursor has, and which. */
export const CURSOR_LENGTH = 18;
export const CURSOR = /^[\w-]+$/;

export function cursorAfter(id: OrderId, filter: OrderFilter): string {
  const bytes = Buffer.alloc(END);
  bytes.writeUInt8(FORM);
  bytes.writeBigInt64BE(id, ID);
  bytes.writeUInt32BE(checksum(bytes, filter), CHECK);
  return bytes.toString('base64url');
}

/** The id that a cursor stands for; `undefined` where it is none, or not one of this filter. */
export function readCursor(cursor: string, filter: OrderFilter): OrderId | undefined {
  const bytes = Buffer.from(cursor, 'base64url');
  // Base64 can say the same in several ways; only ours is taken.
  const isOurs = bytes.length === END && bytes.toString('base64url') === cursor;
  if (!isOurs || bytes[0] !== FORM) return undefined;
  if (bytes.readUInt32BE(CHECK) !== checksum(bytes, filter)) return undefined;
  return bytes.readBigInt64BE(ID) as OrderId;
}

function checksum(bytes: Buffer, filter: OrderFilter): number {
  const given = Object.entries(filter).filter(([, value]) => value !== undefined);
  const text = given.map(([name, value]) => `${name}=${value}`).sort();
  return crc32(text.join('&'), crc32(bytes.subarray(0, CHECK)));
}
