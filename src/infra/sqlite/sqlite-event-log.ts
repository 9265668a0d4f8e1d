import Database from 'better-sqlite3';
import { CannotStart } from '../../app/cannot-start.ts';
import type { AppendResult, Decide, EventLog, KeptOutcomes } from '../../app/ports/event-log.ts';
import { DamagedStore, type Fill } from '../../app/ports/store.ts';
import type { NewEvent, RecordedEvent } from '../../app/recorded-event.ts';
import { highestOf } from '../../app/witness.ts';
import { decode, encode, type StoredEvent } from '../event-codec.ts';
import { orDamaged } from './damage.ts';
import { beginDueEpoch, epochsIn, isCopy } from './epochs-table.ts';
import { EventRows } from './event-rows.ts';
import { HeadFile, type HeadSignal } from './head-file.ts';
import { KeptOutcomesTable } from './kept-outcomes-table.ts';
import { MerkleTables } from './merkle-tables.ts';
import { isFailedFlush, orUnavailable } from './storage-fault.ts';
import { StoredEvents } from './stored-events.ts';
import { Wal } from './wal.ts';

/** Rows a chunk: enough to make a row cheap, too few to hold up the event loop. */
const CHUNK = 1_000;
/** How often a watcher looks, in milliseconds. */
const WATCH_EVERY = 100;
/** Stands for a head that cannot be read. */
const UNKNOWN = undefined;

/** The log in SQLite, over a connection that its caller has opened, and that closes with it. */
export class SqliteEventLog implements EventLog {
  readonly #db: Database.Database;
  #headFile: HeadFile | undefined;
  /** What is to be done before the first append, where anything is. */
  #beginAppending: (() => HeadFile) | undefined;
  readonly #signal: HeadSignal | undefined;
  readonly #damaged: (cause: Error) => void;
  readonly #wal: Wal | undefined;
  readonly #stored: StoredEvents;
  /** Prepared once: to read them anew takes 5 µs a batch. */
  readonly #begin: Database.Statement;
  readonly #commit: Database.Statement;
  readonly #rows: EventRows;
  readonly #kept: KeptOutcomes;
  readonly #tree: MerkleTables;
  /** The head as it was last looked at. */
  #seen: number | undefined;
  #trouble: Error | undefined;

  /**
   * @param headFile Where each new head is noted; needless where nothing is appended.
   * @param signal What is asked before the head is looked at, where it is asked for all the time.
   * @param damaged Called where an append finds that the log is not what was recorded.
   * @param wal By which it is told what a failed commit has left; without it, nobody can tell.
   * @param beginAppending In the place of the head file: opens it when something is to be appended.
   */
  constructor(
    db: Database.Database,
    headFile?: HeadFile,
    signal?: HeadSignal,
    damaged: (cause: Error) => void = () => {},
    wal?: Wal,
    beginAppending?: () => HeadFile,
  ) {
    this.#db = db;
    this.#beginAppending = beginAppending;
    this.#headFile = headFile;
    this.#signal = signal;
    this.#damaged = damaged;
    this.#wal = wal;
    this.#stored = new StoredEvents(db);
    this.#begin = db.prepare('BEGIN IMMEDIATE');
    this.#commit = db.prepare('COMMIT');
    this.#rows = new EventRows(db);
    this.#kept = new KeptOutcomesTable(db);
    this.#tree = new MerkleTables(db);
    if (headFile !== undefined) this.#noteFirst();
  }

  async *read(after: number): AsyncIterable<readonly RecordedEvent[]> {
    const chunks = this.#chunks(after)[Symbol.iterator]();
    for (;;) {
      const next = orUnavailable(() => chunks.next());
      if (next.done) return;
      yield next.value;
    }
  }

  async append(seen: number, decide: Decide): Promise<AppendResult> {
    const result = this.#append(seen, decide);
    this.#trouble = result.kind === 'appended' ? this.#headFile?.unwritten : result.cause;
    return result;
  }

  /** Why the last append was not recorded, or its head not noted; `undefined` where all is well. */
  get trouble(): Error | undefined {
    return this.#trouble;
  }

  /** Tries a commit that changes nothing. Throws where the log cannot be written at this time. */
  probe(): void {
    this.#headFile?.writeIfDue();
    this.#begin.run();
    try {
      const version = this.#db.pragma('user_version', { simple: true }) as number;
      this.#db.pragma(`user_version = ${version}`);
      this.#commit.run();
    } finally {
      this.#rollBack();
    }
    this.#trouble = undefined;
  }

  #append(seen: number, decide: Decide): Exclude<AppendResult, { kind: 'overtaken' }> {
    try {
      // Nothing is acknowledged on top of a head that a start could not hold the log against.
      this.#headFile?.writeIfDue();
      this.#prepare();
      this.#begin.run();
    } catch (error) {
      return { kind: 'unavailable', cause: error as Error };
    }
    let head: number;
    let events: readonly RecordedEvent[];
    try {
      head = this.#tree.wholeSize();
      // Nothing is newer as a rule, which the head tells for less.
      const newer = head === seen ? [] : [...this.#chunks(seen)].flat();
      events = this.#write(head, decide(newer, this.#kept));
    } catch (error) {
      this.#rollBack();
      const cause = orDamaged(error) as Error;
      if (cause instanceof DamagedStore) this.#damaged(cause);
      else if (!(cause instanceof Database.SqliteError)) throw cause;
      return { kind: 'unavailable', cause };
    }
    try {
      this.#commit.run();
    } catch (error) {
      const kind = this.#isUndone(error, head, events) ? 'unavailable' : 'unknown';
      return { kind, cause: error as Error };
    }
    if (events.length > 0) this.#note(highestIdIn(events));
    return { kind: 'appended', events };
  }

  /**
   * Whether it is certain that nothing of a transaction whose commit failed is recorded, or ever will
   * be: see docs/adr/0022.
   */
  #isUndone(error: unknown, head: number, events: readonly RecordedEvent[]): boolean {
    if (this.#wal === undefined || isFailedFlush(error)) return false;
    try {
      this.#rollBack();
      this.#begin.run();
      const [stored] = this.#stored.read(head, 1);
      const [first] = events;
      if (first !== undefined && stored?.metadata === encode(first).metadata) return false;
      this.#wal.bury();
      return true;
    } catch {
      return false;
    } finally {
      this.#rollBack();
    }
  }

  /** Records what another log has recorded: see {@link CommandLineStore.takeOver}. */
  async takeOver(fill: Fill): Promise<void> {
    this.#prepare();
    this.#begin.run();
    let highestId = 0n;
    try {
      const head = this.#tree.wholeSize();
      if (head > 0) throw new CannotStart(`The store has ${head} events: it takes an empty one.`);
      const due = await fill((events) => {
        const recorded = events.map(decode);
        this.#insertAll(events, recorded);
        const highest = highestIdIn(recorded);
        if (highest > highestId) highestId = highest;
      });
      const tree = this.#tree.frontier();
      if (tree.size !== due.size || !tree.root().equals(due.root)) {
        throw new Error('the tree of these events is another one');
      }
      this.#commit.run();
    } catch (error) {
      this.#isUndone(error, 0, []);
      throw error;
    }
    this.#note(highestId);
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
    this.#wal?.close();
    this.#headFile?.close();
    this.#signal?.close();
  }

  #prepare(): void {
    if (this.#beginAppending === undefined) return;
    this.#headFile = this.#beginAppending();
    this.#beginAppending = undefined;
    this.#noteFirst();
  }

  #look(): number {
    this.#seen = orUnavailable(() => this.#tree.wholeSize());
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
    this.#rows.insert(stored, recorded);
    this.#tree.append(stored);
  }

  #noteFirst(): void {
    this.#tree.wholeFrontier();
    this.#note();
  }

  // The tree is the one that was just written: to ask the table would be a transaction of its own.
  #note(highestId?: bigint): void {
    const frontier = this.#tree.latest;
    const root = frontier.root().toString('hex');
    this.#headFile?.tryToWrite({ position: frontier.size, root }, highestId);
  }

  // SQLite has rolled back by itself after some errors, a full disk among them.
  #rollBack(): void {
    if (this.#db.inTransaction) this.#db.exec('ROLLBACK');
  }
}

/**
 * The log of a store's file, with its head noted outside the database. One that is a copy begins its
 * new epoch with the first append: to read a backup leaves it as it is.
 * @param wal The `-wal` file, which closes with the log.
 */
export function openLog(
  file: string,
  db: Database.Database,
  damaged?: (cause: Error) => void,
  wal = new Wal(file),
): SqliteEventLog {
  requireWholeLog(file, db);
  const headFile = ({ storeId, id } = epochsIn(db)) => new HeadFile(file, storeId, id);
  if (!isCopy(db)) return new SqliteEventLog(db, headFile(), undefined, damaged, wal);
  const beginAppending = () => headFile(beginDueEpoch(file, db));
  return new SqliteEventLog(db, undefined, undefined, damaged, wal, beginAppending);
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

function highestIdIn(events: readonly RecordedEvent[]): bigint {
  return highestOf(events.map(({ event }) => event.orderId));
}
