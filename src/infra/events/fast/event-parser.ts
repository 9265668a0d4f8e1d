/**
 * The parser of the fast path: reads events from the bytes of their texts, without allocating a
 * string or an object for any. It reads exactly the form that the codec writes, where no string in
 * it is escaped, and leaves the rest to the schema. A property test compares the two. An event's
 * bytes are
 *
 *   type, blank, schema version, blank, version, END, data, END, metadata, END
 */

import { randomBytes } from 'node:crypto';
import type { FoldInput } from '../../../app/log/recorded-event.ts';
import {
  CANCEL_REASONS,
  type CancelReason,
  MAX_QUANTITY,
  type OrderEvent,
} from '../../../domain/order.ts';
import type { OrderId, PetId } from '../../../domain/order-id.ts';
import { ByteCursor, Literal } from './byte-cursor.ts';

/**
 * The delimiter after each text. It is random in each process, because a store that was tampered
 * with may hold any text: none of them can contain the delimiter and so pass for two.
 */
export const END = `\n${randomBytes(6).toString('base64url')}`;

// The texts between the values. The version is one digit: an order has two events at most.
const PLACED = new Literal('OrderPlaced 2 ');
const SHIPPED = new Literal('OrderShipped 1 ');
const CANCELLED = new Literal('OrderCancelled 1 ');
const CANCELLED_FOR = new Literal('OrderCancelled 2 ');
const ORDER_ID = new Literal(`${END}{"orderId":"`);
const PET_ID = new Literal('","petId":"');
const QUANTITY = new Literal('","quantity":');
const SHIP_DATE = new Literal(',"shipDate":"');
const QUOTE_SHIP_DATE = new Literal('","shipDate":"');
const AT = new Literal('{"at":"');
const BY = new Literal('","by":"');
const COMMAND_ID = new Literal('","commandId":"');
const CLOSE = new Literal(`}${END}`);
const QUOTE_CLOSE = new Literal(`"}${END}`);
/** The end of the data of a cancellation, for each reason. */
const REASONS = CANCEL_REASONS.map((reason) => {
  return [reason, new Literal(`","reason":"${reason}"}${END}`)] as const;
});

/** Reads events one after the other from their bytes. Its fields are those of the last event. */
export class EventParser implements FoldInput {
  position = 0;
  version = 0;
  type: OrderEvent['type'] = 'OrderPlaced';
  orderId = 0n as OrderId;
  petId = 0n as PetId;
  quantity = 0;
  shipDate = NaN;
  reason: CancelReason | undefined;
  at = 0;

  readonly #bytes: ByteCursor;

  constructor(bytes: Buffer) {
    this.#bytes = new ByteCursor(bytes);
  }

  rewind(): void {
    this.#bytes.rewind();
  }

  /** Reads the next event. Returns false if it is not in the form above: it is for the schema. */
  read(position: number): boolean {
    this.position = position;
    this.petId = 0n as PetId;
    this.quantity = 0;
    this.shipDate = NaN;
    this.reason = undefined;
    return this.#readEvent() && this.#readMetadata();
  }

  #readEvent(): boolean {
    const bytes = this.#bytes;
    if (bytes.passes(PLACED)) {
      this.type = 'OrderPlaced';
      return this.#readOrderId() && this.#readPlaced();
    }
    if (bytes.passes(SHIPPED)) {
      this.type = 'OrderShipped';
      return this.#readOrderId() && bytes.passes(QUOTE_SHIP_DATE) && this.#readShipDate();
    }
    this.type = 'OrderCancelled';
    if (bytes.passes(CANCELLED)) return this.#readOrderId() && bytes.passes(QUOTE_CLOSE);
    return bytes.passes(CANCELLED_FOR) && this.#readOrderId() && this.#readReason();
  }

  #readReason(): boolean {
    this.reason = REASONS.find(([, end]) => this.#bytes.passes(end))?.[0];
    return this.reason !== undefined;
  }

  #readOrderId(): boolean {
    const bytes = this.#bytes;
    this.version = bytes.digit();
    if (!(this.version > 0) || !bytes.passes(ORDER_ID) || !bytes.int64()) return false;
    this.orderId = bytes.value as OrderId;
    return true;
  }

  #readPlaced(): boolean {
    const bytes = this.#bytes;
    if (!bytes.passes(PET_ID) || !bytes.int64()) return false;
    this.petId = bytes.value as PetId;
    if (!bytes.passes(QUANTITY)) return false;
    this.quantity = bytes.count();
    if (!(this.quantity >= 1 && this.quantity <= MAX_QUANTITY)) return false;
    return bytes.passes(CLOSE) || (bytes.passes(SHIP_DATE) && this.#readShipDate());
  }

  #readShipDate(): boolean {
    this.shipDate = this.#bytes.instant();
    return !Number.isNaN(this.shipDate) && this.#bytes.passes(QUOTE_CLOSE);
  }

  #readMetadata(): boolean {
    const bytes = this.#bytes;
    if (!bytes.passes(AT)) return false;
    this.at = bytes.instant();
    if (Number.isNaN(this.at) || !bytes.passes(BY)) return false;
    bytes.skipPlain();
    if (!bytes.passes(COMMAND_ID)) return false;
    bytes.skipPlain();
    return bytes.passes(QUOTE_CLOSE);
  }
}
