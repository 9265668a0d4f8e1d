/** Reads of many chunks in a row, which take place in another thread. */

import { CHUNK_EVENTS, type EventChunk, readAhead } from './read-ahead.ts';

/** The chunks from which on another thread reads: they take as long as its start. */
const LONG_READ_CHUNKS = 100;
/** The events of its chunks: for each, it is woken up, which takes 70 µs. */
const ASIDE_CHUNK_EVENTS = 4_000;
/** The time without a read after which it ends, in milliseconds. */
const IDLE_MS = 1_000;

/** A statement of SQLite in another thread. Both promises reject if it cannot be used. */
export interface Aside {
  readonly ready: Promise<unknown>;
  get(parameters: object): Promise<unknown>;
  close(): Promise<void>;
}

/** The statement for chunks in another thread. */
interface ChunksAside {
  /** Throws if no thread can be started. */
  start(): Aside;
  parameters(after: number, count: number): object;
}

/**
 * Reads chunks in this thread and, from some number in a row, in another one, ahead of this one, which parses
 * and folds them: a start that reads a million orders takes 0.79 times as long. If the other thread fails, this
 * one reads from then on.
 */
export class LongReads {
  readonly #readHere: (after: number) => EventChunk;
  readonly #chunks: ChunksAside;
  readonly #afterChunks: number;
  #inARow = 0;
  /** Set from the start of the thread to its end. */
  #aside: Aside | undefined;
  /** Set while the thread reads. */
  #ahead: ((after: number) => Promise<EventChunk>) | undefined;
  #idle: NodeJS.Timeout | undefined;
  #hasFailed = false;

  /** @param afterChunks The number of chunks in a row from which on the other thread reads. */
  constructor(
    readHere: (after: number) => EventChunk,
    chunks: ChunksAside,
    afterChunks = LONG_READ_CHUNKS,
  ) {
    this.#readHere = readHere;
    this.#chunks = chunks;
    this.#afterChunks = afterChunks;
  }

  async chunkAfter(after: number): Promise<EventChunk> {
    if (this.#ahead === undefined) return this.#here(after);
    this.#idle?.refresh();
    try {
      return await this.#ahead(after);
    } catch {
      this.#hasFailed = true;
      await this.close();
      // An event that cannot be read is found, and named, here.
      return this.#here(after);
    }
  }

  async close(): Promise<void> {
    clearTimeout(this.#idle);
    const aside = this.#aside;
    [this.#aside, this.#ahead, this.#inARow] = [undefined, undefined, 0];
    await aside?.close();
  }

  #here(after: number): EventChunk {
    const isLong = this.#inARow >= this.#afterChunks;
    if (isLong && this.#aside === undefined && !this.#hasFailed) void this.#begin();
    const chunk = this.#readHere(after);
    const [count] = chunk;
    this.#inARow = count < CHUNK_EVENTS ? 0 : this.#inARow + 1;
    return chunk;
  }

  async #begin(): Promise<void> {
    let aside: Aside;
    try {
      aside = this.#chunks.start();
      this.#aside = aside;
      await aside.ready;
    } catch {
      this.#hasFailed = true;
      return;
    }
    // It may have been closed meanwhile.
    if (this.#aside !== aside) return;
    const read = (after: number) => this.#readAside(aside, after);
    this.#ahead = readAhead(read, ASIDE_CHUNK_EVENTS);
    this.#idle = setTimeout(() => this.close(), IDLE_MS).unref();
  }

  async #readAside(aside: Aside, after: number): Promise<EventChunk> {
    const row = await aside.get(this.#chunks.parameters(after, ASIDE_CHUNK_EVENTS));
    const [count, lastPosition, bytes] = row as [number, number, Uint8Array | null];
    const { buffer, byteOffset, byteLength } = bytes ?? Buffer.alloc(0);
    return [count, lastPosition, Buffer.from(buffer, byteOffset, byteLength)];
  }
}
