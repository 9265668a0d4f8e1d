import { setTimeout } from 'node:timers/promises';
import { recordOf } from '../../app/audit/record.ts';
import {
  type AppendResult,
  type Decide,
  type EventLog,
  type OutcomeName,
  UnreadableEvent,
} from '../../app/ports/event-log.ts';
import type { NewEvent, RecordedEvent } from '../../app/recorded-event.ts';
import { decode, encode, type StoredEvent } from '../event-codec.ts';
import type { KeptInBatch } from '../kept-in-batch.ts';
import { BEGIN, valuesOf, WRITE } from './batch.ts';
import { type Connection, type Database, isRefusal } from './database.ts';
import { HeadWatch } from './head-watch.ts';
import { readKept } from './kept-outcomes-table.ts';
import { KnownHead, OtherLog } from './known-head.ts';
import { growth, MerkleTables, sizeOf } from './merkle-tables.ts';
import { readStored } from './stored-events.ts';

/** Rows a chunk: enough to make a row cheap, too few to hold up the event loop. */
const CHUNK = 1_000;

/** For how long an outcome in doubt is looked for, in milliseconds, before it is called unknown. */
const SETTLE_WITHIN = 6_000;
/** How long to wait between two looks, in milliseconds. */
const LOOK_AGAIN = 250;

/** A batch that was begun: what the log has, with its lock held. */
interface Begun {
  readonly edge: Buffer;
  readonly newer: readonly StoredEvent[];
  readonly kept: KeptInBatch;
}

/** What a batch adds to what was begun. */
interface Change {
  readonly events: readonly RecordedEvent[];
  readonly stored: readonly StoredEvent[];
  readonly edge: Buffer;
  readonly values: readonly unknown[];
  readonly kept: KeptInBatch;
}

/** The log in PostgreSQL, over a database that its caller has opened, and that closes with it. */
export class PostgresEventLog implements EventLog {
  readonly #db: Database;
  readonly #tree: MerkleTables;
  readonly #known = new KnownHead();
  readonly #watch: HeadWatch;
  readonly #replaced: (cause: Error) => void;
  readonly #settleWithin: number;
  readonly #underWay = new Set<Promise<unknown>>();

  /**
   * @param replaced Called once if the log is not the one any more that it was.
   * @param settleWithin See {@link SETTLE_WITHIN}.
   */
  constructor(
    db: Database,
    replaced: (cause: Error) => void = () => {},
    settleWithin = SETTLE_WITHIN,
  ) {
    this.#settleWithin = settleWithin;
    this.#db = db;
    this.#tree = new MerkleTables(db);
    this.#watch = new HeadWatch(db, () => this.head());
    this.#replaced = replaced;
    db.admit = (connection) => this.#orRefuse(() => this.#known.compare(connection));
  }

  async *read(after: number): AsyncIterable<readonly RecordedEvent[]> {
    let events = await readStored(this.#db, after, CHUNK);
    while (events.length > 0) {
      const last = (events.at(-1) as StoredEvent).position;
      // While one chunk is worked on, the next is on its way. The last is asked for when all others
      // are done with, so that it has whatever was appended meanwhile.
      const isFull = events.length === CHUNK;
      const next = isFull ? readStored(this.#db, last, CHUNK) : undefined;
      next?.catch(() => {});
      yield events.map(decode);
      if (next === undefined) return;
      events = await next;
      if (events.length < CHUNK) events = await readStored(this.#db, last, CHUNK);
    }
  }

  append(seen: number, decide: Decide, asked: readonly OutcomeName[] = []): Promise<AppendResult> {
    const append = this.#append(seen, decide, asked);
    const settled = append.catch(() => undefined).finally(() => this.#underWay.delete(settled));
    this.#underWay.add(settled);
    return append;
  }

  async head(): Promise<number> {
    const before = this.#known.edge;
    const edge = await this.#tree.edge();
    await this.#orRefuse(async () => this.#known.note(edge, before));
    return sizeOf(edge);
  }

  watch(grown: () => void): () => void {
    return this.#watch.watch(grown);
  }

  /** Follows the log from now on, whether or not anybody watches. */
  follow(): void {
    this.#watch.begin();
  }

  async close(): Promise<void> {
    await Promise.all(this.#underWay);
    await this.#watch.close();
    await this.#db.close();
  }

  async #append(
    seen: number,
    decide: Decide,
    asked: readonly OutcomeName[],
  ): Promise<AppendResult> {
    let connection: Connection;
    let begun: Begun;
    try {
      connection = await this.#db.connect();
    } catch (error) {
      return { kind: 'unavailable', cause: error as Error };
    }
    try {
      begun = await this.#begin(connection, seen, asked);
    } catch (error) {
      connection.release(error as Error);
      // No trouble that will pass.
      if (error instanceof UnreadableEvent) throw error;
      return { kind: 'unavailable', cause: error as Error };
    }
    let change: Change;
    try {
      change = changeBy(begun, decide);
    } catch (error) {
      await rollBack(connection);
      throw error;
    }
    return this.#commit(connection, change);
  }

  // One round trip: the statements are on their way before the first is answered. Each sees what
  // was committed when it began, so what is read behind the lock is the newest there is.
  async #begin(
    connection: Connection,
    seen: number,
    asked: readonly OutcomeName[],
  ): Promise<Begun> {
    const before = this.#known.edge;
    const [, edge, first, kept] = await Promise.all([
      connection.run(BEGIN),
      new MerkleTables(connection).lockedEdge(),
      readStored(connection, seen, CHUNK),
      readKept(connection, asked),
    ]);
    await this.#orRefuse(async () => this.#known.note(edge, before));
    const newer = [...first];
    while (seen + newer.length < sizeOf(edge)) {
      newer.push(...(await readStored(connection, seen + newer.length, CHUNK)));
    }
    return { edge, newer, kept };
  }

  async #commit(connection: Connection, change: Change): Promise<AppendResult> {
    const { events, edge, kept, values } = change;
    const isNothing = events.length === 0 && kept.added.length === 0;
    const write = isNothing ? undefined : connection.query(WRITE, values);
    const [written, committed] = await Promise.allSettled([write, connection.run('COMMIT')]);
    const error = failureIn(written) ?? failureIn(committed);
    const [warning] = connection.warnings;
    connection.release(error);
    if (error === undefined) {
      // The server has given up waiting for a standby: what it says is done may not outlive it.
      if (warning !== undefined) return { kind: 'unknown', cause: warning };
      this.#known.note(edge, edge);
      return { kind: 'appended', events };
    }
    if (isNothing || isRefusal(error)) return { kind: 'unavailable', cause: error };
    return this.#settle(change, error);
  }

  /**
   * Finds out what became of a change whose commit was not answered. Whoever has the lock can tell:
   * the transaction that had it before has ended, one way or the other.
   */
  async #settle(change: Change, doubt: Error): Promise<AppendResult> {
    const until = Date.now() + this.#settleWithin;
    do {
      const found = await this.#find(change).catch((error: Error) => error);
      if (found instanceof OtherLog) break;
      if (found === true) {
        this.#known.note(change.edge, change.edge);
        return { kind: 'appended', events: change.events };
      }
      if (found === false) return { kind: 'unavailable', cause: doubt };
      await setTimeout(LOOK_AGAIN);
    } while (Date.now() < until);
    return { kind: 'unknown', cause: doubt };
  }

  /** Whether the log has a change. The commit, after a lock, also waits for standbys. */
  async #find({ stored, kept }: Change): Promise<boolean> {
    const connection = await this.#db.connect();
    try {
      const first = stored[0]?.position ?? 1;
      const [, , there, outcomes] = await Promise.all([
        connection.run(BEGIN),
        new MerkleTables(connection).lockedEdge(),
        readStored(connection, first - 1, stored.length),
        readKept(connection, kept.added),
      ]);
      await connection.run('COMMIT');
      const [warning] = connection.warnings;
      if (warning !== undefined) throw warning;
      return (
        stored.every((event, index) => isSame(event, there[index])) &&
        kept.added.every(({ by, key }) => outcomes.recall(by, key) !== undefined)
      );
    } catch (error) {
      connection.release(error as Error);
      throw error;
    } finally {
      connection.release();
    }
  }

  /** Looks at the log, and if it is another one, refuses to touch it ever again. */
  async #orRefuse(look: () => Promise<void>): Promise<void> {
    try {
      await look();
    } catch (error) {
      if (error instanceof OtherLog && this.#db.refuse(error)) this.#replaced(error);
      throw error;
    }
  }
}

function changeBy({ edge, newer, kept }: Begun, decide: Decide): Change {
  const decided: readonly NewEvent[] = decide(newer.map(decode), kept);
  const head = sizeOf(edge);
  const events = decided.map((event, index) => ({ position: head + 1 + index, ...event }));
  const stored = events.map(encode);
  const grown = growth(edge, stored);
  const orderIds = events.map(({ event }) => event.orderId);
  const values = valuesOf(stored, orderIds, kept.added, grown);
  return { events, stored, edge: grown.edge, values, kept };
}

function isSame(event: StoredEvent, there: StoredEvent | undefined): boolean {
  return there !== undefined && recordOf(there) === recordOf(event);
}

function failureIn(result: PromiseSettledResult<unknown>): Error | undefined {
  return result.status === 'rejected' ? (result.reason as Error) : undefined;
}

async function rollBack(connection: Connection): Promise<void> {
  try {
    await connection.run('ROLLBACK');
    connection.release();
  } catch (error) {
    connection.release(error as Error);
  }
}
