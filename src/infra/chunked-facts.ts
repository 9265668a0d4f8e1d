import { type EventFacts, factsOf } from '../app/event-facts.ts';
import type { FactSource } from '../app/ports/fact-source.ts';
import type { OrderEvent } from '../domain/order.ts';
import { decode, type StoredEvent, schemaVersionOf } from './event-codec.ts';
import { FactsParser } from './facts-parser.ts';

/** Events a chunk: enough to make one cheap, too few to hold up the event loop. */
export const FACTS_A_CHUNK = 1_000;

/**
 * How many chunks are on their way while one is folded. With one, whoever reads them has nothing to do
 * as soon as it is ready and has not been taken: with three, PostgreSQL's are folded 1.6 times as fast.
 */
const AHEAD = 3;

/** The letter that stands for an event which the parser reads; for all others, there is another. */
const TYPES: Readonly<Record<string, OrderEvent['type']>> = {
  p: 'OrderPlaced',
  s: 'OrderShipped',
  c: 'OrderCancelled',
};
const cases = Object.entries(TYPES).map(([letter, type]) => {
  const version = type === 'OrderPlaced' ? 1 : 2;
  const isThat = `schema_version = ${schemaVersionOf(type)} AND version = ${version}`;
  return `WHEN '${type}' THEN CASE WHEN ${isThat} THEN '${letter}' ELSE 'x' END`;
});
/** Makes the letter of an event out of its columns, in the SQL of every engine. */
export const KIND = `CASE type ${cases.join(' ')} ELSE 'x' END`;

/**
 * Many events at once, because to bring a value over from the engine costs much more than to read
 * it. Where there are none, all but the count is null.
 */
export type FactChunk = readonly [
  count: number,
  /** The position of the last one. */
  last: number,
  /** A letter for each: see {@link KIND}. */
  kinds: string,
  /** The data of each in UTF-8, and an end behind it; the metadata likewise. */
  data: Uint8Array<ArrayBuffer>,
  metadata: Uint8Array<ArrayBuffer>,
];

type MaybeLater<Value> = Value | Promise<Value>;

/** The events of an engine for folds: many texts at once, which are parsed where they lie. */
export class ChunkedFacts implements FactSource {
  readonly #chunkAfter: (after: number) => MaybeLater<FactChunk>;
  readonly #stored: (after: number, count: number) => MaybeLater<readonly StoredEvent[]>;

  /**
   * @param chunkAfter Reads the first {@link FACTS_A_CHUNK} events after a position.
   * @param stored Reads the first events after a position one by one, for the codec. Throws
   * {@link UnreadableEvent} where one is missing.
   */
  constructor(
    chunkAfter: (after: number) => MaybeLater<FactChunk>,
    stored: (after: number, count: number) => MaybeLater<readonly StoredEvent[]>,
  ) {
    this.#chunkAfter = chunkAfter;
    this.#stored = stored;
  }

  async next(after: number, take: (facts: EventFacts) => boolean): Promise<number> {
    const [count, last, kinds, data, metadata] = await this.#chunkAfter(after);
    // The head; or a gap, which the codec's way comes upon.
    if (count === 0) return this.#decode(after, 1, take);
    let read = 0;
    // Positions are unique, so that they are dense where there are as many as there should be.
    if (last === after + count) {
      const parser = new FactsParser(bytesOf(data), bytesOf(metadata));
      for (; read < count; read++) {
        const type = TYPES[kinds.charAt(read)];
        if (type === undefined || !parser.read(after + read + 1, type)) break;
        if (!take(parser)) return read + 1;
      }
    }
    if (read === count) return read;
    return read + (await this.#decode(after + read, count - read, take));
  }

  /** Hands over events that the parser does not know, and those behind them, by the codec. */
  async #decode(
    after: number,
    count: number,
    take: (facts: EventFacts) => boolean,
  ): Promise<number> {
    let read = 0;
    for (const stored of await this.#stored(after, count)) {
      read += 1;
      if (!take(factsOf(decode(stored)))) break;
    }
    return read;
  }
}

/**
 * Reads the next chunks while one is folded.
 * @param read Reads the chunk after a position.
 */
export function readAhead(
  read: (after: number) => Promise<FactChunk>,
): (after: number) => Promise<FactChunk> {
  let ahead: { readonly after: number; readonly chunk: Promise<FactChunk> }[] = [];
  const chunkAfter = async (after: number): Promise<FactChunk> => {
    const first = ahead.shift();
    const known = first?.after === after ? first.chunk : undefined;
    if (known === undefined) ahead = [];
    const found = await (known ?? read(after));
    const [count] = found;
    if (count < FACTS_A_CHUNK) {
      ahead = [];
      // What was not there yet when it was read ahead may be there by now.
      return count === 0 && known !== undefined ? chunkAfter(after) : found;
    }
    while (ahead.length < AHEAD) {
      const next = after + FACTS_A_CHUNK * (ahead.length + 1);
      const chunk = read(next);
      // Nobody may want it any more by the time it fails.
      chunk.catch(() => undefined);
      ahead.push({ after: next, chunk });
    }
    return found;
  };
  return chunkAfter;
}

function bytesOf({ buffer, byteOffset, byteLength }: Uint8Array<ArrayBuffer>): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
