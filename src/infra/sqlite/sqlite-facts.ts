import { randomBytes } from 'node:crypto';
import type Database from 'better-sqlite3';
import { type EventFacts, factsOf } from '../../app/event-facts.ts';
import type { FactSource } from '../../app/ports/fact-source.ts';
import { decode } from '../event-codec.ts';
import { FactsParser } from '../facts-parser.ts';
import { type FactChunk, factChunksOf, TYPES } from './fact-chunks.ts';
import { StoredEvents } from './stored-events.ts';

/**
 * What ends a text among others. Made up anew in each process, because a file that somebody has
 * tampered with may hold any text: none of them can be made to pass for two.
 */
export const END = `\n${randomBytes(6).toString('base64url')}`;
const END_BYTES = Buffer.from(END);

/** The events of SQLite for folds: many texts at once, which are parsed where they lie. */
export class SqliteFacts implements FactSource {
  readonly #chunkAfter: (after: number) => FactChunk | Promise<FactChunk>;
  readonly #stored: StoredEvents;

  /** @param chunkAfter Where chunks come from, if not by this connection. */
  constructor(
    db: Database.Database,
    chunkAfter: (after: number) => FactChunk | Promise<FactChunk> = factChunksOf(db, END),
  ) {
    this.#chunkAfter = chunkAfter;
    this.#stored = new StoredEvents(db);
  }

  async next(after: number, take: (facts: EventFacts) => boolean): Promise<number> {
    const [count, last, kinds, data, metadata] = await this.#chunkAfter(after);
    // The head; or a gap, which the codec's way comes upon.
    if (count === 0) return this.#decode(after, 1, take);
    let read = 0;
    // Positions are unique, so that they are dense where there are as many as there should be.
    if (last === after + count) {
      const parser = new FactsParser(bytesOf(data), bytesOf(metadata), END_BYTES);
      for (; read < count; read++) {
        const type = TYPES[kinds.charAt(read)];
        if (type === undefined || !parser.read(after + read + 1, type)) break;
        if (!take(parser)) return read + 1;
      }
    }
    return read === count ? read : read + this.#decode(after + read, count - read, take);
  }

  /** Hands over events that the parser does not know, and those behind them, by the codec. */
  #decode(after: number, count: number, take: (facts: EventFacts) => boolean): number {
    let read = 0;
    for (const stored of this.#stored.read(after, count)) {
      read += 1;
      if (!take(factsOf(decode(stored)))) break;
    }
    return read;
  }
}

function bytesOf({ buffer, byteOffset, byteLength }: Uint8Array<ArrayBuffer>): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
