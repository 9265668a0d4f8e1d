/** Reads numbers, instants and literal texts from bytes, without making a string of them. */

import { dayNumber } from '../../../domain/instant.ts';
import { parseInt64 } from '../../../domain/order-id.ts';

/** Expected bytes, at least four of them, in a form that is compared four bytes at a time. */
export class Literal {
  readonly length: number;
  /** The bytes as numbers; the last may overlap with the one before. */
  readonly words: Int32Array;

  constructor(text: string) {
    const bytes = Buffer.from(text);
    this.length = bytes.length;
    const starts = Array.from({ length: Math.ceil(bytes.length / 4) }, (_, index) => index * 4);
    this.words = Int32Array.from(starts, (at) => bytes.readInt32LE(Math.min(at, bytes.length - 4)));
  }
}

/** ASCII codes. */
const [ZERO, NINE, MINUS, QUOTE, BACKSLASH, SPACE] = [48, 57, 45, 34, 92, 32] as const;
const INSTANT_BYTES = 24;
const DAY_MS = 86_400_000;
/** Digits up to which a whole number is exact as a `number`, from which a bigint is made faster. */
const MAX_EXACT_DIGITS = 15;
const MAX_INT64_DIGITS = 19;

/** True for each byte that stands for itself in a JSON string, alone or as part of a character. */
const IS_PLAIN = Array.from({ length: 256 }, (_, byte) => {
  return byte >= SPACE && byte !== QUOTE && byte !== BACKSLASH;
});

/** A pattern of four bytes of an instant, which are read as one number, all digits at once. */
class FourBytes {
  readonly #written: number;
  readonly #digits: number;

  /** @param written The bytes, with a zero for each digit. */
  constructor(written: string) {
    const bytes = Buffer.from(written);
    this.#written = bytes.readInt32LE();
    this.#digits = Buffer.from(bytes.map((byte) => (byte === ZERO ? 0xf : 0))).readInt32LE();
  }

  /** Returns the four digits as a number, with 0 for each other byte; −1 if they do not match. */
  read(view: DataView, at: number): number {
    // A digit becomes its value, and any other byte 0.
    const values = view.getInt32(at, true) ^ this.#written;
    const isWritten = (values & ~this.#digits) === 0 && ((values + 0x06060606) & 0xf0f0f0f0) === 0;
    if (!isWritten) return -1;
    const [thousands, hundreds] = [values & 0xf, (values >> 8) & 0xf];
    const [tens, ones] = [(values >> 16) & 0xf, values >> 24];
    return thousands * 1_000 + hundreds * 100 + tens * 10 + ones;
  }
}

// The parts of an instant, such as 2026-01-31T12:00:00.000Z, four bytes each.
const YEAR = new FourBytes('0000');
const MONTH = new FourBytes('-00-');
const DAY_AND_HOUR = new FourBytes('00T0');
const HOUR_AND_MINUTE = new FourBytes('0:00');
const SECOND = new FourBytes(':00.');
const THOUSANDTH = new FourBytes('000Z');

/** Eight bytes through which a number is converted to a bigint, faster than by `BigInt`. */
const wide = new DataView(new ArrayBuffer(8));

/** A cursor over bytes. After a failed read its position is unspecified. */
export class ByteCursor {
  /** The int64 that was read last. */
  value = 0n;
  readonly #bytes: Buffer;
  readonly #view: DataView;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  rewind(): void {
    this.#at = 0;
  }

  /** Moves past a literal and returns true if it comes next; returns false otherwise. */
  passes({ words, length }: Literal): boolean {
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

  /** Reads one digit; NaN if there is none. */
  digit(): number {
    const byte = this.#bytes[this.#at++];
    return isDigit(byte) ? byte - ZERO : NaN;
  }

  /** Reads an int64 in canonical decimal into {@link value}; returns false if there is none. */
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
    if (length === 0 || length > MAX_INT64_DIGITS) return false;
    if (length > MAX_EXACT_DIGITS) {
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

  /** Reads a whole number that does not begin with a zero; NaN if there is none. */
  count(): number {
    let value = 0;
    let length = 0;
    for (let byte = this.#bytes[this.#at]; isDigit(byte); byte = this.#bytes[this.#at]) {
      if (length === 0 && byte === ZERO) return NaN;
      value = value * 10 + byte - ZERO;
      this.#at += 1;
      length += 1;
    }
    return length > 0 && length <= MAX_EXACT_DIGITS ? value : NaN;
  }

  /** Reads an instant, in milliseconds since 1970; NaN if there is none. */
  instant(): number {
    const view = this.#view;
    const from = this.#at;
    this.#at = from + INSTANT_BYTES;
    if (this.#at > this.#bytes.length) return NaN;
    // A byte between digits counts as a 0, so that `months` is ten times the month, and so on.
    const year = YEAR.read(view, from);
    const months = MONTH.read(view, from + 4);
    const dayAndHour = DAY_AND_HOUR.read(view, from + 8);
    const hourAndMinute = HOUR_AND_MINUTE.read(view, from + 12);
    const seconds = SECOND.read(view, from + 16);
    const thousandths = THOUSANDTH.read(view, from + 20);
    if ((year | months | dayAndHour | hourAndMinute | seconds | thousandths) < 0) return NaN;
    const hour = (dayAndHour % 10) * 10 + Math.trunc(hourAndMinute / 1_000);
    const minute = hourAndMinute % 100;
    const [month, day] = [months / 10, Math.trunc(dayAndHour / 100)];
    if (hour > 23 || minute > 59 || seconds > 590 || !isDay(year, month, day)) return NaN;
    const time = (hour * 60 + minute) * 60_000 + seconds * 100 + thousandths / 10;
    return dayNumber(year, month, day) * DAY_MS + time;
  }

  /** Moves past the text of a JSON string, up to its end or the first escape. */
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

function isDay(year: number, month: number, day: number): boolean {
  if (month < 1 || month > 12 || day < 1) return false;
  // Every month has 28 days.
  return day <= 28 || day <= dayNumber(year, month + 1, 1) - dayNumber(year, month, 1);
}
