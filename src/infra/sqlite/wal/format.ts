/**
 * The format of SQLite's write-ahead log, as far as it takes to tell which frames are whole
 * (sqlite.org/fileformat2.html, "The Write-Ahead Log"). Every number in it is big-endian.
 */

export const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
const MAGIC = 0x377f0682;
const [SMALLEST_PAGE, LARGEST_PAGE] = [512, 65_536];

/** The smallest piece that a disk writes whole or not at all, in bytes. */
const SECTOR_BYTES = 512;

/**
 * Two sums of 32 bits. A frame's goes on from the frame's before it, the first from the header's.
 */
export type Checksum = readonly [number, number];

export interface Layout {
  readonly pageSize: number;
  /**
   * True where the sums are made of little-endian words: those of the machine that wrote the file.
   */
  readonly littleEndian: boolean;
}

export interface Header extends Layout {
  /** Drawn anew each time that SQLite begins the file again from its start. */
  readonly salts: bigint;
  readonly checksum: Checksum;
}

/** The header; `undefined` where it is damaged, and SQLite ignores the whole file. */
export function parseHeader(bytes: Buffer): Header | undefined {
  const magic = bytes.readUInt32BE(0);
  const pageSize = bytes.readUInt32BE(8);
  const littleEndian = magic === MAGIC;
  const checksum = checksumAt(bytes, 24);
  if (!littleEndian && magic !== MAGIC + 1) return undefined;
  if (!PAGE_SIZES.includes(pageSize)) return undefined;
  if (!equal(sum(bytes, 0, 24, [0, 0], littleEndian), checksum)) return undefined;
  return { pageSize, littleEndian, salts: bytes.readBigUInt64BE(16), checksum };
}

const PAGE_SIZES: readonly number[] = Array.from(
  { length: Math.log2(LARGEST_PAGE / SMALLEST_PAGE) + 1 },
  (_, power) => SMALLEST_PAGE << power,
);

/** Every way in which the frames behind a damaged header may have to be read. */
export const LAYOUTS: readonly Layout[] = PAGE_SIZES.flatMap((pageSize) => [
  { pageSize, littleEndian: true },
  { pageSize, littleEndian: false },
]);

/** One frame: a page as a transaction left it. */
export class Frame {
  /** From 1 on. */
  readonly number: number;
  readonly #bytes: Buffer;
  readonly #littleEndian: boolean;

  constructor(number: number, bytes: Buffer, { littleEndian }: Layout) {
    this.number = number;
    this.#bytes = bytes;
    this.#littleEndian = littleEndian;
  }

  /** 0 in no frame that SQLite wrote. */
  get page(): number {
    return this.#bytes.readUInt32BE(0);
  }

  /** True where it is marked as the last of a transaction. */
  get commits(): boolean {
    return this.#bytes.readUInt32BE(4) !== 0;
  }

  /** Those of the header, if it was written since the file was begun again. */
  get salts(): bigint {
    return this.#bytes.readBigUInt64BE(8);
  }

  get checksum(): Checksum {
    return checksumAt(this.#bytes, 16);
  }

  /** The sum that it should have if the one before it had `previous`. */
  sumAfter(previous: Checksum): Checksum {
    const bytes = this.#bytes;
    const sumOfHeader = sum(bytes, 0, 8, previous, this.#littleEndian);
    return sum(bytes, FRAME_HEADER_BYTES, bytes.length, sumOfHeader, this.#littleEndian);
  }

  /** Returns true where the frame was written right after one of this sum. */
  follows(previous: Checksum): boolean {
    return this.page !== 0 && equal(this.sumAfter(previous), this.checksum);
  }

  /** True where its own header was written whole or not at all, because it is in one sector. */
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
