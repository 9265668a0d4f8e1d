import { randomBytes } from 'node:crypto';
import type { EventFacts } from '../app/event-facts.ts';
import { MAX_QUANTITY, type OrderEvent } from '../domain/order.ts';
import type { OrderId, PetId } from '../domain/order-id.ts';
import { Literal, Texts } from './texts.ts';

/**
 * What ends a text among others. Made up anew in each process, because a store that somebody has
 * tampered with may hold any text: none of them can be made to pass for two.
 */
export const END = `\n${randomBytes(6).toString('base64url')}`;

// What stands between the values.
const ORDER_ID = new Literal('{"orderId":"');
const PET_ID = new Literal('","petId":"');
const QUANTITY = new Literal('","quantity":');
const SHIP_DATE = new Literal(',"shipDate":"');
const QUOTE_SHIP_DATE = new Literal('","shipDate":"');
const AT = new Literal('{"at":"');
const BY = new Literal('","by":"');
const COMMAND_ID = new Literal('","commandId":"');
const CLOSE = new Literal(`}${END}`);
const QUOTE_CLOSE = new Literal(`"}${END}`);

/**
 * Reads the stored texts of many events from the bytes that they are, without making a text or an
 * object of any. It knows exactly what the codec writes today, and leaves whatever else there is to
 * the codec. A property test holds the two against each other.
 */
export class FactsParser implements EventFacts {
  position = 0;
  version = 0;
  type: OrderEvent['type'] = 'OrderPlaced';
  orderId = 0n as OrderId;
  petId = 0n as PetId;
  quantity = 0;
  shipDate = NaN;
  at = 0;

  readonly #data: Texts;
  readonly #metadata: Texts;

  /**
   * @param data The data of the events, one after the other, and an {@link END} behind each.
   * @param metadata Their metadata, likewise.
   */
  constructor(data: Buffer, metadata: Buffer) {
    this.#data = new Texts(data);
    this.#metadata = new Texts(metadata);
  }

  /**
   * Reads the next event, of a type and a version that the caller knows: its first where it is
   * placed, and its second otherwise. False where only the codec can tell what it is, if anything.
   */
  read(position: number, type: OrderEvent['type']): boolean {
    this.position = position;
    this.version = type === 'OrderPlaced' ? 1 : 2;
    this.type = type;
    return this.#readData(type) && this.#readMetadata();
  }

  #readData(type: OrderEvent['type']): boolean {
    const text = this.#data;
    if (!text.isNext(ORDER_ID) || !text.int64()) return false;
    this.orderId = text.value as OrderId;
    this.petId = 0n as PetId;
    this.quantity = 0;
    this.shipDate = NaN;
    if (type === 'OrderCancelled') return text.isNext(QUOTE_CLOSE);
    if (type === 'OrderPlaced') {
      if (!text.isNext(PET_ID) || !text.int64()) return false;
      this.petId = text.value as PetId;
      if (!text.isNext(QUANTITY)) return false;
      this.quantity = text.count();
      if (!(this.quantity >= 1 && this.quantity <= MAX_QUANTITY)) return false;
      if (text.isNext(CLOSE)) return true;
      if (!text.isNext(SHIP_DATE)) return false;
    } else if (!text.isNext(QUOTE_SHIP_DATE)) return false;
    this.shipDate = text.instant();
    return !Number.isNaN(this.shipDate) && text.isNext(QUOTE_CLOSE);
  }

  #readMetadata(): boolean {
    const text = this.#metadata;
    if (!text.isNext(AT)) return false;
    this.at = text.instant();
    if (Number.isNaN(this.at) || !text.isNext(BY)) return false;
    text.skipPlain();
    if (!text.isNext(COMMAND_ID)) return false;
    text.skipPlain();
    return text.isNext(QUOTE_CLOSE);
  }
}
