/**
 * The layout of a snapshot's file, whose parts can be read and checked one by one:
 *
 * - the SHA-256 of the rest of the head,
 * - the seal: the HMAC-SHA256 of what follows of the head,
 * - the length of the structure, and the number of pieces, as 32-bit integers (little-endian),
 * - the structure: a value without the contents of its arrays,
 * - the SHA-256 of each piece,
 * - the bytes of all arrays one after another, which are digested in pieces of a mebibyte.
 */

import { createHash, createHmac, hash, timingSafeEqual } from 'node:crypto';
import { fstatSync, readSync } from 'node:fs';
import type { Pace } from '../checking/keep-checking.ts';
import { apart, type PackedArray, together } from './packed-arrays.ts';

const DIGEST_BYTES = 32;
const LENGTHS_BYTES = 8;
const SEAL_BYTES = 32;
const PIECE_BYTES = 1_048_576;

/**
 * Returns the contents of a file with a value.
 * @param key Only who has it can make a file that {@link SnapshotReader.isSealedWith} accepts.
 */
export function partsOf(value: unknown, key: Uint8Array): readonly NodeJS.ArrayBufferView[] {
  const { structure, arrays } = apart(value);
  const digests = digestsOf(arrays);
  const lengths = Buffer.alloc(LENGTHS_BYTES);
  lengths.writeUInt32LE(structure.length);
  lengths.writeUInt32LE(digests.length / DIGEST_BYTES, 4);
  const sealed = Buffer.concat([lengths, structure, digests]);
  const head = Buffer.concat([sealOf(sealed, key), sealed]);
  return [digestOf(head), head, ...arrays];
}

function digestsOf(arrays: readonly PackedArray[]): Buffer {
  const digests: Buffer[] = [];
  let piece = createHash('sha256');
  let room = PIECE_BYTES;
  for (const array of arrays) {
    for (let rest = bytesOf(array); rest.length > 0; ) {
      const part = rest.subarray(0, room);
      rest = rest.subarray(part.length);
      piece.update(part);
      room -= part.length;
      if (room > 0) continue;
      digests.push(piece.digest());
      piece = createHash('sha256');
      room = PIECE_BYTES;
    }
  }
  if (room < PIECE_BYTES) digests.push(piece.digest());
  return Buffer.concat(digests);
}

/** An open file of this layout. Each part is checked before it is used. */
export class SnapshotReader {
  readonly #fd: number;
  readonly #head: Buffer;
  readonly #structure: Buffer;
  readonly #digests: Buffer;
  /** The place of the arrays, and their size, in bytes. */
  readonly #from: number;
  readonly #bytes: number;
  /** The piece that was read last, and its index: a piece has parts of many arrays. */
  readonly #piece = Buffer.allocUnsafeSlow(PIECE_BYTES);
  #held = -1;

  private constructor(fd: number, head: Buffer, structureBytes: number, bytes: number) {
    const structureEnd = SEAL_BYTES + LENGTHS_BYTES + structureBytes;
    this.#fd = fd;
    this.#head = head;
    this.#structure = head.subarray(SEAL_BYTES + LENGTHS_BYTES, structureEnd);
    this.#digests = head.subarray(structureEnd);
    this.#from = DIGEST_BYTES + head.length;
    this.#bytes = bytes;
  }

  /** Reads the head of an open file. Returns `undefined` where it is damaged, or the file too short. */
  static open(fd: number): SnapshotReader | undefined {
    const { size } = fstatSync(fd);
    const lengths = readAt(fd, DIGEST_BYTES + SEAL_BYTES, LENGTHS_BYTES);
    if (lengths === undefined) return undefined;
    const structureBytes = lengths.readUInt32LE();
    const digestBytes = lengths.readUInt32LE(4) * DIGEST_BYTES;
    const headBytes = SEAL_BYTES + LENGTHS_BYTES + structureBytes + digestBytes;
    const bytes = size - DIGEST_BYTES - headBytes;
    // Before anything is read: a flipped bit may make a length of gigabytes.
    if (bytes < 0 || Math.ceil(bytes / PIECE_BYTES) * DIGEST_BYTES !== digestBytes)
      return undefined;
    const digest = readAt(fd, 0, DIGEST_BYTES) as Buffer;
    const head = readAt(fd, DIGEST_BYTES, headBytes) as Buffer;
    if (!digestOf(head).equals(digest)) return undefined;
    return new SnapshotReader(fd, head, structureBytes, bytes);
  }

  /** Returns true if the file was made with a key, and not changed since. */
  isSealedWith(key: Uint8Array): boolean {
    const seal = this.#head.subarray(0, SEAL_BYTES);
    return timingSafeEqual(sealOf(this.#head.subarray(SEAL_BYTES), key), seal);
  }

  /** Returns the value; `undefined` where a piece of it is damaged. */
  whole(): unknown {
    const { value, arrays, fill } = this.partly();
    return arrays.every((array) => fill(array)) ? value : undefined;
  }

  /** Returns the value with arrays of 0. */
  partly(): Partly {
    const places = new Map<PackedArray, number>();
    let at = 0;
    const value = together(this.#structure, (array) => {
      places.set(array, at);
      at += array.byteLength;
    });
    const fill: Fill = (array, from = 0, to = array.length) => {
      const [begin, end] = [from * array.BYTES_PER_ELEMENT, to * array.BYTES_PER_ELEMENT];
      return this.#copy(bytesOf(array).subarray(begin, end), (places.get(array) as number) + begin);
    };
    return { value, arrays: [...places.keys()], fill };
  }

  /** Checks all pieces. Resolves with false if one is damaged. */
  async check(pace: Pace): Promise<boolean> {
    for (let piece = 0; piece < this.#pieces; piece++) {
      const isWhole = this.#read(piece) !== undefined;
      await pace(PIECE_BYTES);
      if (!isWhole) return false;
    }
    return true;
  }

  get #pieces(): number {
    return this.#digests.length / DIGEST_BYTES;
  }

  /** Copies bytes of the arrays from a place on. Returns false where a piece is damaged. */
  #copy(into: Buffer, place: number): boolean {
    const end = place + into.length;
    for (let index = Math.floor(place / PIECE_BYTES); index * PIECE_BYTES < end; index++) {
      const piece = this.#read(index);
      if (piece === undefined) return false;
      const begin = index * PIECE_BYTES;
      piece.copy(into, Math.max(0, begin - place), Math.max(0, place - begin), end - begin);
    }
    return true;
  }

  /** Returns a piece, until the next is read; `undefined` where its digest is another. */
  #read(index: number): Buffer | undefined {
    const begin = index * PIECE_BYTES;
    const piece = this.#piece.subarray(0, Math.min(PIECE_BYTES, this.#bytes - begin));
    if (index === this.#held) return piece;
    this.#held = -1;
    const due = this.#digests.subarray(index * DIGEST_BYTES, (index + 1) * DIGEST_BYTES);
    const isThere = readInto(piece, this.#fd, this.#from + begin);
    if (!isThere || !digestOf(piece).equals(due)) return undefined;
    this.#held = index;
    return piece;
  }
}

/** Reads entries of an array, or all, into it. Returns false where they are damaged. */
export type Fill = (array: PackedArray, from?: number, to?: number) => boolean;

/** A value whose arrays have not been read. */
interface Partly {
  readonly value: unknown;
  readonly arrays: readonly PackedArray[];
  readonly fill: Fill;
}

function bytesOf({ buffer, byteOffset, byteLength }: PackedArray): Buffer {
  return Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength);
}

/** Returns bytes of a file; `undefined` where it ends before. */
function readAt(fd: number, position: number, length: number): Buffer | undefined {
  const bytes = Buffer.alloc(length);
  return readInto(bytes, fd, position) ? bytes : undefined;
}

function readInto(bytes: Buffer, fd: number, position: number): boolean {
  return readSync(fd, bytes, { position }) === bytes.length;
}

function sealOf(sealed: Buffer, key: Uint8Array): Buffer {
  return createHmac('sha256', key).update(sealed).digest();
}

function digestOf(bytes: Buffer): Buffer {
  return hash('sha256', bytes, 'buffer');
}
