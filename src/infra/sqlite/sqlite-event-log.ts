import Database from 'better-sqlite3';
import { CannotStart } from '../../app/cannot-start.ts';
import type { AppendResult, Decide, EventLog, KeptOutcomes } from '../../app/ports/event-log.ts';
import { DamagedStore, type Fill } from '../../app/ports/store.ts';
import type { NewEvent, RecordedEvent } from '../../app/recorded-event.ts';
import { decode, encode, type StoredEvent } from '../event-codec.ts';
import { storeIdOf } from './database.ts';
import { HeadFile, type HeadSignal } from './head-file.ts';
import { KeptOutcomesTable } from './kept-outcomes-table.ts';
import { MerkleTables } from './merkle-tables.ts';
import { StoredEvents } from './stored-events.ts';

/** Rows a chunk: enough to make a row cheap, too few to hold up the event loop. */
const CHUNK = 1_000;
/** Rows a statement at most: to bind many at once takes less time than one after the other. */
const ROWS = 32;
const ROW = '(?, ?, ?, ?, ?, ?, ?)';
/** How often a watcher looks, in milliseconds. */
const WATCH_EVERY = 100;
/** Stands for a head that cannot be read. */
const UNKNOWN = undefined;

/** The log in SQLite, over a connection that its caller has opened, and that closes with it. */
export class SqliteEventLog implements EventLog {
  readonly #db: Database.Database;
  readonly #headFile: HeadFile | undefined;
  readonly #signal: HeadSignal | undefined;
  readonly #damaged: (cause: Error) => void;
  readonly #stored: StoredEvents;
  /** Prepared once: to read them anew takes 5 µs a batch. */
  readonly #begin: Database.Statement;
  readonly #commit: Database.Statement;
  /** By how many rows they insert; each is prepared when it is first needed. */
  readonly #inserts = new Map<number, Database.Statement>();
  readonly #kept: KeptOutcomes;
  readonly #tree: MerkleTables;
  /** The head as it was last looked at. */
  #seen: number | undefined;

  /**
   * @param headFile Where each new head is noted; needless where nothing is appended.
   * @param signal What is asked before the head is looked at, where it is asked for all the time.
   * @param damaged Called where an append finds that the log is not what was recorded.
   */
  constructor(
    db: Database.Database,
    headFile?: HeadFile,
    signal?: HeadSignal,
    damaged: (cause: Error) => void = () => {},
  ) {
    this.#db = db;
    this.#headFile = headFile;
    this.#signal = signal;
    this.#damaged = damaged;
    this.#stored = new StoredEvents(db);
    this.#begin = db.prepare('BEGIN IMMEDIATE');
    this.#commit = db.prepare('COMMIT');
    this.#kept = new KeptOutcomesTable(db);
    this.#tree = new MerkleTables(db);
    if (headFile !== undefined) this.#noteFirst();
  }

  async *read(after: number): AsyncIterable<readonly RecordedEvent[]> {
    yield* this.#chunks(after);
  }

  async append(seen: number, decide: Decide): Promise<AppendResult> {
    try {
      this.#begin.run();
    } catch (error) {
      return { kind: 'unavailable', cause: error as Error };
    }
    let events: readonly RecordedEvent[];
    try {
      const head = this.#tree.wholeSize();
      // Nothing is newer as a rule, which the head tells for less.
      const newer = head === seen ? [] : [...this.#chunks(seen)].flat();
      events = this.#write(head, decide(newer, this.#kept));
    } catch (error) {
      this.#rollBack();
      if (error instanceof DamagedStore) this.#damaged(error);
      else if (!(error instanceof Database.SqliteError)) throw error;
      return { kind: 'unavailable', cause: error };
    }
    try {
      this.#commit.run();
    } catch (error) {
      // The commit record may have reached the disk before the error came back.
      return { kind: 'unknown', cause: error as Error };
    }
    if (events.length > 0) this.#note();
    return { kind: 'appended', events };
  }

  /** Records what another log has recorded: see {@link CommandLineStore.takeOver}. */
  async takeOver(fill: Fill): Promise<void> {
    this.#begin.run();
    try {
      const head = this.#tree.wholeSize();
      if (head > 0) throw new CannotStart(`The store has ${head} events: it takes an empty one.`);
      const due = await fill((events) => this.#insertAll(events, events.map(decode)));
      const tree = this.#tree.frontier();
      if (tree.size !== due.size || !tree.root().equals(due.root)) {
        throw new Error('the tree of these events is another one');
      }
      this.#commit.run();
    } catch (error) {
      this.#rollBack();
      throw error;
    }
    this.#note();
  }

  async head(): Promise<number> {
    // The signal first: a head that is noted between the two is looked at twice, and not never.
    const isNew = this.#signal?.isNew() ?? true;
    return isNew || this.#seen === undefined ? this.#look() : this.#seen;
  }

  watch(grown: () => void): () => void {
    let seen: number | undefined = this.#lookOr(UNKNOWN);
    const timer = setInterval(() => {
      // The connection may have been closed by its owner while somebody was still watching.
      if (!this.#db.open) return clearInterval(timer);
      // Without the signal: whoever was killed before the head was noted has told nobody.
      const head = this.#lookOr(UNKNOWN);
      if (head === seen) return;
      seen = head;
      grown();
    }, WATCH_EVERY);
    timer.unref();
    return () => clearInterval(timer);
  }

  async close(): Promise<void> {
    if (!this.#db.open) return;
    this.#db.close();
    this.#headFile?.close();
    this.#signal?.close();
  }

  #look(): number {
    this.#seen = this.#tree.wholeSize();
    return this.#seen;
  }

  /** The head, or what stands for one that cannot be read: whoever asks for the head is told why. */
  #lookOr<Other>(other: Other): number | Other {
    try {
      return this.#look();
    } catch {
      return other;
    }
  }

  *#chunks(after: number): Iterable<readonly RecordedEvent[]> {
    let seen = after;
    for (;;) {
      const events = this.#stored.read(
        seen,
        Math.max(0, Math.min(CHUNK, this.#tree.wholeSize() - seen)),
      );
      if (events.length === 0) return;
      seen += events.length;
      yield events.map(decode);
      if (events.length < CHUNK) return;
    }
  }

  #write(head: number, events: readonly NewEvent[]): readonly RecordedEvent[] {
    if (events.length === 0) return [];
    const recorded = events.map((event, index) => ({ position: head + 1 + index, ...event }));
    this.#insertAll(recorded.map(encode), recorded);
    return recorded;
  }

  #insertAll(stored: readonly StoredEvent[], recorded: readonly RecordedEvent[]): void {
    const rows = stored.map((event, index) => rowOf(event, recorded[index] as RecordedEvent));
    for (let from = 0; from < rows.length; from += ROWS) {
      const some = rows.slice(from, from + ROWS);
      this.#insertOf(some.length).run(([] as unknown[]).concat(...some));
    }
    this.#tree.append(stored);
  }

  #insertOf(count: number): Database.Statement {
    const known = this.#inserts.get(count);
    if (known !== undefined) return known;
    const rows = Array(count).fill(ROW).join(', ');
    const insert = this.#db.prepare(`INSERT INTO events VALUES ${rows}`);
    this.#inserts.set(count, insert);
    return insert;
  }

  #noteFirst(): void {
    this.#tree.wholeFrontier();
    this.#note();
  }

  // The tree is the one that was just written: to ask the table would be a transaction of its own.
  #note(): void {
    const frontier = this.#tree.latest;
    const root = frontier.root().toString('hex');
    this.#headFile?.write({ position: frontier.size, root });
  }

  // SQLite has rolled back by itself after some errors, a full disk among them.
  #rollBack(): void {
    if (this.#db.inTransaction) this.#db.exec('ROLLBACK');
  }
}

/** The log of a store's file, with its head noted outside the database. */
export function openLog(
  file: string,
  db: Database.Database,
  damaged?: (cause: Error) => void,
): SqliteEventLog {
  requireWholeLog(file, db);
  return new SqliteEventLog(db, new HeadFile(file, storeIdOf(db)), undefined, damaged);
}

/** Throws {@link CannotStart} where the log of a store's file has another size than its tree. */
export function requireWholeLog(file: string, db: Database.Database): void {
  try {
    new MerkleTables(db).wholeSize();
  } catch (error) {
    if (!(error instanceof DamagedStore)) throw error;
    throw new CannotStart(
      `${file} is damaged: ${error.message}. Nothing was changed. ` +
        'Find out what else is wrong (store-orders verify), and restore a backup.',
    );
  }
}

function rowOf(stored: StoredEvent, { event }: RecordedEvent): unknown[] {
  const { position, version, type, schemaVersion, data, metadata } = stored;
  return [position, event.orderId, version, type, schemaVersion, data, metadata];
}
