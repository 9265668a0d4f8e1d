/**
 * The format of SQLite's write-ahead log, as far as it is needed to validate frames
 * (sqlite.org/fileformat2.html, "The Write-Ahead Log"). All numbers are big-endian.
 */

export const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
const MAGIC_NUMBER = 0x377f0682;
const [SMALLEST_PAGE, LARGEST_PAGE] = [512, 65_536];

/** The unit that a disk writes atomically, in bytes. */
const SECTOR_BYTES = 512;

/**
 * Two sums of 32 bits. Each frame's continues that of the frame before it; the first continues the
 * header's.
 */
export type Checksum = readonly [number, number];

export interface Layout {
  readonly pageSize: number;
  /**
   * True if the checksums are computed over little-endian words, as on the machine that wrote them.
   */
  readonly littleEndian: boolean;
}

export interface Header extends Layout {
  /** Random; changed each time that SQLite restarts the file from its beginning. */
  readonly salts: bigint;
  readonly checksum: Checksum;
}

/** Parses the header. Returns `undefined` if it is damaged: SQLite then ignores the whole file. */
export function parseHeader(bytes: Buffer): Header | undefined {
  const magic = bytes.readUInt32BE(0);
  const pageSize = bytes.readUInt32BE(8);
  const littleEndian = magic === MAGIC_NUMBER;
  const checksum = checksumAt(bytes, 24);
  if (!littleEndian && magic !== MAGIC_NUMBER + 1) return undefined;
  if (!PAGE_SIZES.includes(pageSize)) return undefined;
  if (!equal(sum(bytes, 0, 24, [0, 0], littleEndian), checksum)) return undefined;
  return { pageSize, littleEndian, salts: bytes.readBigUInt64BE(16), checksum };
}

const PAGE_SIZES: readonly number[] = Array.from(
  { length: Math.log2(LARGEST_PAGE / SMALLEST_PAGE) + 1 },
  (_, power) => SMALLEST_PAGE << power,
);

/** All layouts that the frames behind a damaged header can have. */
export const LAYOUTS: readonly Layout[] = PAGE_SIZES.flatMap((pageSize) => [
  { pageSize, littleEndian: true },
  { pageSize, littleEndian: false },
]);

/** One frame: a database page as a transaction wrote it. */
export class Frame {
  /** The number of the frame in the file, from 1. */
  readonly number: number;
  readonly #bytes: Buffer;
  readonly #littleEndian: boolean;

  constructor(number: number, bytes: Buffer, { littleEndian }: Layout) {
    this.number = number;
    this.#bytes = bytes;
    this.#littleEndian = littleEndian;
  }

  /** The number of the page; never 0 in a frame that SQLite wrote. */
  get page(): number {
    return this.#bytes.readUInt32BE(0);
  }

  /** True if the frame is marked as the last of a transaction. */
  get commits(): boolean {
    return this.#bytes.readUInt32BE(4) !== 0;
  }

  /** Equal to the header's if the frame was written since the file was last restarted. */
  get salts(): bigint {
    return this.#bytes.readBigUInt64BE(8);
  }

  get checksum(): Checksum {
    return checksumAt(this.#bytes, 16);
  }

  /** Returns the checksum that the frame must have if the frame before it has `previous`. */
  sumAfter(previous: Checksum): Checksum {
    const bytes = this.#bytes;
    const sumOfHeader = sum(bytes, 0, 8, previous, this.#littleEndian);
    return sum(bytes, FRAME_HEADER_BYTES, bytes.length, sumOfHeader, this.#littleEndian);
  }

  /** Returns true if the frame was written right after one with this checksum. */
  follows(previous: Checksum): boolean {
    return this.page !== 0 && equal(this.sumAfter(previous), this.checksum);
  }

  /** True if the frame's header is within one sector, so that it was written atomically. */
  get hasWholeHeader(): boolean {
    const offset = HEADER_BYTES + (this.number - 1) * this.#bytes.length;
    return (offset % SECTOR_BYTES) + FRAME_HEADER_BYTES <= SECTOR_BYTES;
  }
}

export function frameBytes({ pageSize }: Pick<Layout, 'pageSize'>): number {
  return FRAME_HEADER_BYTES + pageSize;
}

function checksumAt(bytes: Buffer, offset: number): Checksum {
  return [bytes.readUInt32BE(offset), bytes.readUInt32BE(offset + 4)];
}

function equal(one: Checksum, other: Checksum): boolean {
  return one[0] === other[0] && one[1] === other[1];
}

function sum(
  bytes: Buffer,
  from: number,
  to: number,
  previous: Checksum,
  littleEndian: boolean,
): Checksum {
  const words = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let [first, second] = previous;
  for (let offset = from; offset < to; offset += 8) {
    first = (first + words.getUint32(offset, littleEndian) + second) >>> 0;
    second = (second + words.getUint32(offset + 4, littleEndian) + first) >>> 0;
  }
  return [first, second];
}
