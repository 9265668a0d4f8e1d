import { randomBytes } from 'node:crypto';
import type Database from 'better-sqlite3';
import { type EventFacts, factsOf } from '../../app/event-facts.ts';
import type { FactSource } from '../../app/ports/fact-source.ts';
import type { OrderEvent } from '../../domain/order.ts';
import { decode, schemaVersionOf } from '../event-codec.ts';
import { FactsParser } from '../facts-parser.ts';
import { StoredEvents } from './stored-events.ts';

/** Events a statement: enough to make one cheap, too few to hold up the event loop. */
const CHUNK = 1_000;

/** The letter that stands for an event which the parser reads; for all others, there is another. */
const TYPES: Readonly<Record<string, OrderEvent['type']>> = {
  p: 'OrderPlaced',
  s: 'OrderShipped',
  c: 'OrderCancelled',
};
const KIND = Object.entries(TYPES).map(([letter, type]) => {
  const version = type === 'OrderPlaced' ? 1 : 2;
  const isThat = `schema_version = ${schemaVersionOf(type)} AND version = ${version}`;
  return `WHEN '${type}' THEN CASE WHEN ${isThat} THEN '${letter}' ELSE 'x' END`;
});

/**
 * What ends a text among others. Made up anew in each process, because a file that somebody has
 * tampered with may hold any text: none of them can be made to pass for two.
 */
const END = `\n${randomBytes(6).toString('base64url')}`;
const END_BYTES = Buffer.from(END);

/**
 * The events of SQLite for folds. To bring a value over into JavaScript costs much more than to read
 * it, so a statement answers a thousand events in three values, which are parsed where they lie.
 */
export class SqliteFacts implements FactSource {
  readonly #select: Database.Statement;
  readonly #stored: StoredEvents;

  constructor(db: Database.Database) {
    // An aggregate takes rows as they come, which is by position: it reads the table from one end of
    // a range to the other.
    this.#select = db
      .prepare(
        `SELECT count(*), max(position), group_concat(CASE type ${KIND.join(' ')} ELSE 'x' END, ''),
                CAST(group_concat(data, $end) || $end AS BLOB),
                CAST(group_concat(metadata, $end) || $end AS BLOB)
           FROM events WHERE position > $after AND position <= $after + ${CHUNK}`,
      )
      .raw();
    this.#stored = new StoredEvents(db);
  }

  async next(after: number, take: (facts: EventFacts) => boolean): Promise<number> {
    const [count, last, kinds, data, metadata] = this.#select.get({ after, end: END }) as Row;
    // The head; or a gap, which the codec's way comes upon.
    if (count === 0) return this.#decode(after, 1, take);
    let read = 0;
    // Positions are unique, so that they are dense where there are as many as there should be.
    if (last === after + count) {
      const parser = new FactsParser(data, metadata, END_BYTES);
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

type Row = [count: number, last: number, kinds: string, data: Buffer, metadata: Buffer];
