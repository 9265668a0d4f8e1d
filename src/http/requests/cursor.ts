/**
 * Cursors: the places where pages of the list begin, in a form that clients send back unchanged. A
 * cursor consists of the number of this form, the id of the last order before the page, for a list as
 * it was the position as of which, and a checksum of all that, of the filter and of the epoch. So a
 * cursor that was mistyped, cut off, or brought to another list than its own is detected. It is no
 * secret, and guards nothing.
 *
 * The position keeps the pages of one walk together: a time that has only just come may stand for
 * a higher one by the next page.
 */
import { crc32 } from 'node:zlib';
import type { Moment } from '../../app/read/moment.ts';
import type { OrderQuery } from '../../app/read/order-query.ts';
import type { OrderId } from '../../domain/order-id.ts';

const [FORM, FORM_AS_OF] = [1, 2];
const [ID, AS_OF] = [1, 9];
const [ID_BYTES, AS_OF_BYTES, CHECK_BYTES] = [8, 4, 4];

/** The form of a cursor: 18 characters, or 23 for a list as it was. */
export const CURSOR = /^(?:[\w-]{18}|[\w-]{23})$/;
export const CURSOR_LENGTHS = [18, 23] as const;

/** A query of the list, but for the place where to begin. */
export type Asked = OrderQuery & {
  readonly asOf?: Moment | undefined;
  /** The epoch of the log, but for the first. */
  readonly log?: string | undefined;
};

/** The place where a page begins: after an order, in a list as of a position if one was given. */
export interface PlaceInList {
  readonly id: OrderId;
  readonly asOf: number | undefined;
}

export function cursorAfter({ id, asOf }: PlaceInList, asked: Asked): string {
  const check = ID + ID_BYTES + (asOf === undefined ? 0 : AS_OF_BYTES);
  const bytes = Buffer.alloc(check + CHECK_BYTES);
  bytes.writeUInt8(asOf === undefined ? FORM : FORM_AS_OF);
  bytes.writeBigInt64BE(id, ID);
  if (asOf !== undefined) bytes.writeUInt32BE(asOf, AS_OF);
  bytes.writeUInt32BE(checksum(bytes.subarray(0, check), asked), check);
  return bytes.toString('base64url');
}

/** Returns the place that a cursor stands for; `undefined` where it is none, or of another query. */
export function readCursor(cursor: string, asked: Asked): PlaceInList | undefined {
  const bytes = Buffer.from(cursor, 'base64url');
  const isAsOf = asked.asOf !== undefined;
  const check = ID + ID_BYTES + (isAsOf ? AS_OF_BYTES : 0);
  // Base64 can say the same in several ways; only ours is taken.
  const isOurs = bytes.length === check + CHECK_BYTES && bytes.toString('base64url') === cursor;
  if (!isOurs || bytes[0] !== (isAsOf ? FORM_AS_OF : FORM)) return undefined;
  if (bytes.readUInt32BE(check) !== checksum(bytes.subarray(0, check), asked)) return undefined;
  const id = bytes.readBigInt64BE(ID) as OrderId;
  return { id, asOf: isAsOf ? bytes.readUInt32BE(AS_OF) : undefined };
}

function checksum(place: Buffer, asked: Asked): number {
  const given = Object.entries(asked).filter(([, value]) => value !== undefined);
  const text = given.map(([name, value]) => `${name}=${value}`).sort();
  return crc32(text.join('&'), crc32(place));
}
