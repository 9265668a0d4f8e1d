import type { EventFacts } from '../app/event-facts.ts';
import { DayTable } from '../domain/day-table.ts';
import { millisecondsOf, parseInstant } from '../domain/instant.ts';
import { MAX_QUANTITY, type OrderEvent } from '../domain/order.ts';
import { type OrderId, type PetId, parseInt64 } from '../domain/order-id.ts';

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
   * @param data The data of the events, one after the other, and an end behind each.
   * @param metadata Their metadata, likewise.
   * @param end What ends each text: nothing that can stand in one, or one could pass for two.
   */
  constructor(data: Buffer, metadata: Buffer, end: Buffer) {
    this.#data = new Texts(data, end);
    this.#metadata = new Texts(metadata, end);
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
    if (type === 'OrderCancelled') return text.endsWith(QUOTE_CLOSE);
    if (type === 'OrderPlaced') {
      if (!text.isNext(PET_ID) || !text.int64()) return false;
      this.petId = text.value as PetId;
      if (!text.isNext(QUANTITY)) return false;
      this.quantity = text.count();
      if (!(this.quantity >= 1 && this.quantity <= MAX_QUANTITY)) return false;
      if (text.endsWith(CLOSE)) return true;
      if (!text.isNext(SHIP_DATE)) return false;
    } else if (!text.isNext(QUOTE_SHIP_DATE)) return false;
    this.shipDate = text.instant();
    return !Number.isNaN(this.shipDate) && text.endsWith(QUOTE_CLOSE);
  }

  #readMetadata(): boolean {
    const text = this.#metadata;
    if (!text.isNext(AT)) return false;
    this.at = text.instant();
    return (
      !Number.isNaN(this.at) &&
      text.isNext(BY) &&
      text.skipPlain() &&
      text.isNext(COMMAND_ID) &&
      text.skipPlain() &&
      text.endsWith(QUOTE_CLOSE)
    );
  }
}

// What stands between the values.
const ORDER_ID = Buffer.from('{"orderId":"');
const PET_ID = Buffer.from('","petId":"');
const QUANTITY = Buffer.from('","quantity":');
const SHIP_DATE = Buffer.from(',"shipDate":"');
const QUOTE_SHIP_DATE = Buffer.from('","shipDate":"');
const AT = Buffer.from('{"at":"');
const BY = Buffer.from('","by":"');
const COMMAND_ID = Buffer.from('","commandId":"');
const CLOSE = Buffer.from('}');
const QUOTE_CLOSE = Buffer.from('"}');

const [ZERO, NINE, MINUS, QUOTE, BACKSLASH, SPACE] = [48, 57, 45, 34, 92, 32] as const;
const [DASH, T, COLON, POINT, Z] = [45, 84, 58, 46, 90] as const;
const INSTANT_LENGTH = 24;
/** A number of so many digits is exact, and the faster way to a bigint. */
const EXACT = 15;
const LONGEST = 20;

/** When a day begins, by the number that its digits are; NaN where there is no such day. */
const dayTimes = new DayTable((day) => {
  const digits = String(day).padStart('YYYYMMDD'.length, '0');
  const [year, month, date] = [digits.slice(0, 4), digits.slice(4, 6), digits.slice(6)];
  const begin = parseInstant(`${year}-${month}-${date}T00:00:00.000Z`);
  return begin === undefined ? NaN : millisecondsOf(begin);
});

/** Bytes, and how far they have been read. What is not there as expected leaves them anywhere. */
class Texts {
  /** The int64 that was read last. */
  value = 0n;
  readonly #bytes: Buffer;
  readonly #end: Buffer;
  #at = 0;

  constructor(bytes: Buffer, end: Buffer) {
    this.#bytes = bytes;
    this.#end = end;
  }

  /** Whether these bytes come next; they are passed over if so. */
  isNext(expected: Buffer): boolean {
    const bytes = this.#bytes;
    const from = this.#at;
    for (let index = 0; index < expected.length; index++) {
      if (bytes[from + index] !== expected[index]) return false;
    }
    this.#at = from + expected.length;
    return true;
  }

  /** Whether these bytes come next, and the end of a text behind them. */
  endsWith(expected: Buffer): boolean {
    return this.isNext(expected) && this.isNext(this.#end);
  }

  /** Reads an int64 in canonical decimal. */
  int64(): boolean {
    const from = this.#at;
    const digits = this.#bytes[from] === MINUS ? from + 1 : from;
    let at = digits;
    let value = 0;
    for (let byte = this.#bytes[at]; isDigit(byte); byte = this.#bytes[at]) {
      value = value * 10 + byte - ZERO;
      at += 1;
    }
    this.#at = at;
    const length = at - digits;
    if (length === 0 || length > LONGEST) return false;
    if (length > EXACT) {
      const read = parseInt64(this.#bytes.toString('latin1', from, at));
      this.value = read ?? 0n;
      return read !== undefined;
    }
    // One number has one text: no leading zeros, and no −0.
    if (this.#bytes[digits] === ZERO && (length > 1 || digits > from)) return false;
    this.value = BigInt(digits > from ? -value : value);
    return true;
  }

  /** Reads a whole number that does not begin with a zero; NaN where there is none. */
  count(): number {
    let value = 0;
    let length = 0;
    for (let byte = this.#bytes[this.#at]; isDigit(byte); byte = this.#bytes[this.#at]) {
      if (length === 0 && byte === ZERO) return NaN;
      value = value * 10 + byte - ZERO;
      this.#at += 1;
      length += 1;
    }
    return length > 0 && length <= EXACT ? value : NaN;
  }

  /** Reads an instant: milliseconds since 1970; NaN where there is none. */
  instant(): number {
    const bytes = this.#bytes;
    const from = this.#at;
    this.#at = from + INSTANT_LENGTH;
    const isWritten =
      bytes[from + 4] === DASH &&
      bytes[from + 7] === DASH &&
      bytes[from + 10] === T &&
      bytes[from + 13] === COLON &&
      bytes[from + 16] === COLON &&
      bytes[from + 19] === POINT &&
      bytes[from + 23] === Z;
    if (!isWritten) return NaN;
    const day = this.#two(from) * 1e6 + this.#two(from + 2) * 1e4 + this.#two(from + 5) * 100;
    const hour = this.#two(from + 11);
    const minute = this.#two(from + 14);
    const second = this.#two(from + 17);
    const milliseconds = this.#two(from + 20) * 10 + digit(bytes[from + 22]);
    const time = ((hour * 60 + minute) * 60 + second) * 1_000 + milliseconds;
    // Whatever was no digit has made a NaN of it.
    if (!(hour < 24 && minute < 60 && second < 60 && time >= 0)) return NaN;
    return dayTimes.get(day + this.#two(from + 8)) + time;
  }

  /** Passes over what stands in a JSON string, if nothing in it is escaped. */
  skipPlain(): boolean {
    const bytes = this.#bytes;
    let at = this.#at;
    while (at < bytes.length && bytes[at] !== QUOTE) {
      const byte = bytes[at] as number;
      if (byte < SPACE || byte === BACKSLASH) return false;
      at += 1;
    }
    this.#at = at;
    return true;
  }

  #two(at: number): number {
    return digit(this.#bytes[at]) * 10 + digit(this.#bytes[at + 1]);
  }
}

function isDigit(byte: number | undefined): byte is number {
  return byte !== undefined && byte >= ZERO && byte <= NINE;
}

function digit(byte: number | undefined): number {
  return isDigit(byte) ? byte - ZERO : NaN;
}
