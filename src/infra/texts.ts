import { DayTable } from '../domain/day-table.ts';
import { millisecondsOf, parseInstant } from '../domain/instant.ts';
import { parseInt64 } from '../domain/order-id.ts';

/**
 * Bytes that a text is expected to have in some place, at least four. They are compared four at a time,
 * as numbers; the last four may overlap with those before.
 */
export class Literal {
  readonly length: number;
  readonly words: Int32Array;

  constructor(text: string) {
    const bytes = Buffer.from(text);
    this.length = bytes.length;
    const starts = Array.from({ length: Math.ceil(bytes.length / 4) }, (_, index) => index * 4);
    this.words = Int32Array.from(starts, (at) => bytes.readInt32LE(Math.min(at, bytes.length - 4)));
  }
}

const [ZERO, NINE, MINUS, QUOTE, BACKSLASH, SPACE] = [48, 57, 45, 34, 92, 32] as const;
const INSTANT_LENGTH = 24;
/** A number of so many digits is exact, and the faster way to a bigint. */
const EXACT = 15;
const LONGEST = 20;

/** For each byte, whether it stands for itself in a JSON string, be it a part of a character. */
const IS_PLAIN = Array.from({ length: 256 }, (_, byte) => {
  return byte >= SPACE && byte !== QUOTE && byte !== BACKSLASH;
});

/** When a day begins, by the number that its digits are; NaN where there is no such day. */
const dayTimes = new DayTable((day) => {
  const digits = String(day).padStart('YYYYMMDD'.length, '0');
  const [year, month, date] = [digits.slice(0, 4), digits.slice(4, 6), digits.slice(6)];
  const begin = parseInstant(`${year}-${month}-${date}T00:00:00.000Z`);
  return begin === undefined ? NaN : millisecondsOf(begin);
});

/** Four bytes of an instant. They are read as one number, and all their digits at once. */
class FourBytes {
  readonly #written: number;
  readonly #digits: number;

  /** @param written How they are written, with a zero for each digit. */
  constructor(written: string) {
    const bytes = Buffer.from(written);
    this.#written = bytes.readInt32LE();
    this.#digits = Buffer.from(bytes.map((byte) => (byte === ZERO ? 0xf : 0))).readInt32LE();
  }

  /** The number of four digits, where whatever else there is counts as a zero; −1 if not written so. */
  read(view: DataView, at: number): number {
    // Of a digit this leaves its value, and of whatever else there is nothing.
    const values = view.getInt32(at, true) ^ this.#written;
    const isWritten = (values & ~this.#digits) === 0 && ((values + 0x06060606) & 0xf0f0f0f0) === 0;
    if (!isWritten) return -1;
    const [thousands, hundreds] = [values & 0xf, (values >> 8) & 0xf];
    const [tens, ones] = [(values >> 16) & 0xf, values >> 24];
    return thousands * 1_000 + hundreds * 100 + tens * 10 + ones;
  }
}

// What an instant consists of.
const YEAR = new FourBytes('0000');
const MONTH = new FourBytes('-00-');
const DAY_AND_HOUR = new FourBytes('00T0');
const HOUR_AND_MINUTE = new FourBytes('0:00');
const SECOND = new FourBytes(':00.');
const THOUSANDTH = new FourBytes('000Z');

/** Where a number becomes a bigint, without the call that `BigInt` is. */
const wide = new DataView(new ArrayBuffer(8));

/** Bytes, and how far they have been read. What is not there as expected leaves them anywhere. */
export class Texts {
  /** The int64 that was read last. */
  value = 0n;
  readonly #bytes: Buffer;
  readonly #view: DataView;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** Whether these bytes come next; they are passed over if so. */
  isNext({ words, length }: Literal): boolean {
    const view = this.#view;
    const from = this.#at;
    if (from + length > this.#bytes.length) return false;
    const last = words.length - 1;
    for (let index = 0; index < last; index++) {
      if (view.getInt32(from + index * 4, true) !== words[index]) return false;
    }
    if (view.getInt32(from + length - 4, true) !== words[last]) return false;
    this.#at = from + length;
    return true;
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
    if (digits > from) value = -value;
    wide.setInt32(0, value, true);
    wide.setInt32(4, Math.floor(value / 2 ** 32), true);
    this.value = wide.getBigInt64(0, true);
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
    const view = this.#view;
    const from = this.#at;
    this.#at = from + INSTANT_LENGTH;
    if (this.#at > this.#bytes.length) return NaN;
    // What stands between digits counts as a zero, so these are ten times the month, and so on.
    const year = YEAR.read(view, from);
    const months = MONTH.read(view, from + 4);
    const dayAndHour = DAY_AND_HOUR.read(view, from + 8);
    const hourAndMinute = HOUR_AND_MINUTE.read(view, from + 12);
    const seconds = SECOND.read(view, from + 16);
    const thousandths = THOUSANDTH.read(view, from + 20);
    if ((year | months | dayAndHour | hourAndMinute | seconds | thousandths) < 0) return NaN;
    const hour = (dayAndHour % 10) * 10 + Math.trunc(hourAndMinute / 1_000);
    const minute = hourAndMinute % 100;
    if (hour > 23 || minute > 59 || seconds > 590) return NaN;
    const day = year * 10_000 + months * 10 + Math.trunc(dayAndHour / 100);
    return dayTimes.get(day) + (hour * 60 + minute) * 60_000 + seconds * 100 + thousandths / 10;
  }

  /** Passes over what stands in a JSON string, as far as nothing in it is escaped. */
  skipPlain(): void {
    const bytes = this.#bytes;
    let at = this.#at;
    while (IS_PLAIN[bytes[at] as number]) at += 1;
    this.#at = at;
  }
}

function isDigit(byte: number | undefined): byte is number {
  return byte !== undefined && byte >= ZERO && byte <= NINE;
}
