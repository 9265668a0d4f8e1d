/** Gzip files (RFC 1952) put together from pieces that are compressed once and used again. */
import { constants, crc32, deflateRawSync } from 'node:zlib';
import { Deflater } from './deflate.ts';

/**
 * A piece of a gzip file (RFC 1952) that is composed of separately compressed pieces: raw deflate
 * (RFC 1951) that ends with a full flush, so it depends on nothing before it and ends on a byte
 * boundary. Pieces can be concatenated in any order, and reused.
 */
export interface GzipPiece {
  readonly deflated: Buffer;
  /** CRC-32 of the piece before it was compressed. */
  readonly crc: number;
  /** The piece's length before it was compressed, in bytes. */
  readonly length: number;
}

/**
 * The most pieces compressed at the same time. Each takes a quarter of a megabyte, and one of the
 * pool's four threads, which other work needs, too.
 */
const MAX_CONCURRENT_JOBS = 2;
let underWay = 0;
/** Those without work. */
const idle: Deflater[] = [];
const waiting: (() => void)[] = [];

/** Compresses a piece in the thread pool, when its turn comes. */
export async function gzipPiece(bytes: Buffer): Promise<GzipPiece> {
  if (bytes.length === 0) return gzipPieceSync(bytes);
  if (underWay < MAX_CONCURRENT_JOBS) underWay += 1;
  else await new Promise<void>((resolve) => waiting.push(resolve));
  try {
    const deflater = idle.pop() ?? new Deflater();
    const deflated = await deflater.deflate(bytes);
    // One that failed is not used again.
    idle.push(deflater);
    return { deflated, crc: crc32(bytes), length: bytes.length };
  } finally {
    // The next piece takes the place of this one.
    const next = waiting.shift();
    if (next === undefined) underWay -= 1;
    else next();
  }
}

const FULL_FLUSH = { finishFlush: constants.Z_FULL_FLUSH };

/** Compresses a few bytes synchronously. */
export function gzipPieceSync(bytes: Buffer): GzipPiece {
  return { deflated: deflateRawSync(bytes, FULL_FLUSH), crc: crc32(bytes), length: bytes.length };
}

// Deflate, no flags, no time, an unknown operating system.
const HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);
// An empty last block: none of the pieces is marked as the last.
const LAST_BLOCK = Buffer.from([0x03, 0x00]);

/** A file that is put together. The pieces' own bytes are not copied. */
export class GzipFile {
  readonly #parts: Buffer[] = [HEADER];
  #crc = 0;
  #length = 0;

  add({ deflated, crc, length }: GzipPiece): void {
    this.#parts.push(deflated);
    this.#crc = combineCrc32(this.#crc, crc, length);
    this.#length += length;
  }

  /** Returns the whole file, in buffers. */
  end(): readonly Buffer[] {
    const trailer = Buffer.alloc(8);
    trailer.writeUInt32LE(this.#crc, 0);
    trailer.writeUInt32LE(this.#length % 2 ** 32, 4);
    return [...this.#parts, LAST_BLOCK, trailer];
  }
}

/**
 * Returns the CRC-32 of two concatenated byte sequences from the CRCs of both and the length of the
 * second. Appending n zero bytes multiplies the CRC by x^8n modulo the polynomial; the method is
 * that of Mark Adler's crc32_combine in zlib 1.2.12.
 */
export function combineCrc32(first: number, second: number, secondLength: number): number {
  let power = 0;
  let factor = POLYNOMIAL_ONE;
  // 8n in binary: bit k of n requires the factor x^(2^(k+3)).
  for (let rest = secondLength; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) factor = multiply(factor, POWERS[power + 3] as number);
    power += 1;
  }
  return (multiply(first, factor) ^ second) >>> 0;
}

const CRC32_POLYNOMIAL = 0xedb88320;
// Bits are reflected: the highest is the coefficient of x^0.
const POLYNOMIAL_ONE = 0x80000000;
const POLYNOMIAL_X = 0x40000000;

// x^(2^k) modulo the polynomial: enough of them for any length below 2^53.
const POWERS: number[] = [POLYNOMIAL_X];
for (let k = 1; k < 57; k++) {
  const root = POWERS[k - 1] as number;
  POWERS.push(multiply(root, root));
}

/** Returns the product of two polynomials modulo the CRC's. */
function multiply(a: number, b: number): number {
  let product = 0;
  let shifted = b;
  for (let bit = POLYNOMIAL_ONE; bit !== 0; bit >>>= 1) {
    if (a & bit) product ^= shifted;
    shifted = shifted & 1 ? (shifted >>> 1) ^ CRC32_POLYNOMIAL : shifted >>> 1;
  }
  return product >>> 0;
}
