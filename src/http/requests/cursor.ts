/**
 * Cursors: the beginnings of pages, which clients send back unchanged. A cursor consists of the
 * number of its format, the id of the last order of the previous page, for a list as of a moment
 * its position, and a checksum of all that, of the filter and of the epoch. So a cursor that was
 * mistyped, cut off, or sent for another list is detected. It is not secret and protects nothing.
 *
 * The position keeps the pages of one walk consistent: a recent time may stand for a higher
 * position when the next page is requested.
 */
import { crc32 } from 'node:zlib';
import type { Moment } from '../../app/read/moment.ts';
import type { OrderQuery } from '../../app/read/order-query.ts';
import type { OrderId } from '../../domain/order-id.ts';

// Form 2 had four bytes for the position.
const [FORM, FORM_AS_OF] = [1, 3];
const [ID, AS_OF] = [1, 9];
const [ID_BYTES, AS_OF_BYTES, CHECK_BYTES] = [8, 8, 4];

/** The format of a cursor: 18 characters, or 28 for a list as of a moment. */
export const CURSOR = /^(?:[\w-]{18}|[\w-]{28})$/;
export const CURSOR_LENGTHS = [18, 28] as const;

/** A query of the list, without its beginning. */
export type Asked = OrderQuery & {
  readonly asOf?: Moment | undefined;
  /** The epoch of the log; absent in the first one. */
  readonly log?: string | undefined;
};

/** The beginning of a page: after an order, in the list as of a position if given. */
export interface PlaceInList {
  readonly id: OrderId;
  readonly asOf: number | undefined;
}

export function cursorAfter({ id, asOf }: PlaceInList, asked: Asked): string {
  const check = ID + ID_BYTES + (asOf === undefined ? 0 : AS_OF_BYTES);
  const bytes = Buffer.alloc(check + CHECK_BYTES);
  bytes.writeUInt8(asOf === undefined ? FORM : FORM_AS_OF);
  bytes.writeBigInt64BE(id, ID);
  if (asOf !== undefined) bytes.writeBigUInt64BE(BigInt(asOf), AS_OF);
  bytes.writeUInt32BE(checksum(bytes.subarray(0, check), asked), check);
  return bytes.toString('base64url');
}

/** Parses a cursor; returns `undefined` if it is invalid, or belongs to another query. */
export function readCursor(cursor: string, asked: Asked): PlaceInList | undefined {
  const bytes = Buffer.from(cursor, 'base64url');
  const isAsOf = asked.asOf !== undefined;
  const check = ID + ID_BYTES + (isAsOf ? AS_OF_BYTES : 0);
  // Base64 has several texts for the same bytes; only the canonical one is accepted.
  const isOurs = bytes.length === check + CHECK_BYTES && bytes.toString('base64url') === cursor;
  if (!isOurs || bytes[0] !== (isAsOf ? FORM_AS_OF : FORM)) return undefined;
  if (bytes.readUInt32BE(check) !== checksum(bytes.subarray(0, check), asked)) return undefined;
  const id = bytes.readBigInt64BE(ID) as OrderId;
  return { id, asOf: isAsOf ? Number(bytes.readBigUInt64BE(AS_OF)) : undefined };
}

function checksum(place: Buffer, asked: Asked): number {
  const given = Object.entries(asked).filter(([, value]) => value !== undefined);
  const text = given.map(([name, value]) => `${name}=${value}`).sort();
  return crc32(text.join('&'), crc32(place));
}
