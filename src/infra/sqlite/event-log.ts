/** The log in SQLite. */

import type Database from 'better-sqlite3';
import {
  highestIdIn,
  ImpossibleEvent,
  type RecordedEvent,
  recordedBehind,
} from '../../app/log/recorded-event.ts';
import type { AppendResult, Decide, EventLog, KeptOutcomes } from '../../app/ports/event-log.ts';
import { DamagedStore, type Fill } from '../../app/ports/store.ts';
import { decode, encode } from '../events/codec.ts';
import { CHUNK_ROWS } from '../events/row-mapping.ts';
import { HeadFile } from '../head/head-file.ts';
import type { AppendSignal } from './append-signal.ts';
import { requireWholeLog } from './database.ts';
import { beginDueEpoch, isCopy } from './epochs-table.ts';
import { headFileOf } from './head-file.ts';
import { KeptOutcomesTable } from './kept-outcomes-table.ts';
import { KnownHead } from './known-head.ts';
import { LogTransaction } from './log-transaction.ts';
import { MerkleTables } from './merkle-tables.ts';
import { isOfStorage, orDamaged, orUnavailable } from './storage/fault.ts';
import { StoredEvents } from './stored-events.ts';
import { takeOver } from './take-over.ts';
import { Wal } from './wal/wal.ts';

/** The interval at which a watched log's head is read, in milliseconds. */
export const WATCH_INTERVAL_MS = 100;

interface Options {
  /** Opens the file that receives each new head; absent: none is noted. See {@link prepare}. */
  readonly beginAppending?: () => HeadFile;
  /** Joins the log of the writer and that of the readers, which then need not read each head. */
  readonly signal?: AppendSignal | undefined;
  /** Called after each look at a watched log, with its error if it failed. */
  readonly looked?: ((error: Error | undefined) => void) | undefined;
  /** Called when an append finds that the log is damaged. */
  readonly damaged?: ((cause: Error) => void) | undefined;
  /** The `-wal` file, which the log closes. Without it, the outcome of a failed commit is unknown. */
  readonly wal?: Wal | undefined;
}

/** The log in SQLite, over an open connection, which it closes. */
export class SqliteEventLog implements EventLog {
  readonly #db: Database.Database;
  readonly #options: Options;
  #headFile: HeadFile | undefined;
  /** Undefined once it was called. */
  #beginAppending: (() => HeadFile) | undefined;
  readonly #stored: StoredEvents;
  readonly #kept: KeptOutcomes;
  readonly #tree: MerkleTables;
  readonly #transaction: LogTransaction;
  readonly #known = new KnownHead();
  #trouble: Error | undefined;
  #hasGrown = false;

  constructor(db: Database.Database, options: Options = {}) {
    this.#db = db;
    this.#options = options;
    this.#beginAppending = options.beginAppending;
    this.#stored = new StoredEvents(db);
    this.#kept = new KeptOutcomesTable(db);
    this.#tree = new MerkleTables(db);
    this.#transaction = new LogTransaction(db, this.#tree, options.wal);
  }

  async *read(after: number): AsyncIterable<readonly RecordedEvent[]> {
    const chunks = this.#chunks(after)[Symbol.iterator]();
    for (;;) {
      const next = orUnavailable(this.#db, () => chunks.next());
      if (next.done) return;
      yield next.value;
    }
  }

  async append(seen: number, decide: Decide): Promise<AppendResult> {
    const result = this.#append(seen, decide);
    if (result.kind !== 'unavailable') this.#options.signal?.send();
    this.#trouble = result.kind === 'appended' ? this.#headFile?.unwritten : result.cause;
    return result;
  }

  /** Throws {@link DamagedStore} unless the log extends all that this handle has read to append. */
  requireExtended(): void {
    orUnavailable(this.#db, () => this.#known.followNow(this.#tree));
  }

  /** True once an append over this connection has recorded events. */
  get hasGrown(): boolean {
    return this.#hasGrown;
  }

  /** The error of the last append or of noting its head; `undefined` if both succeeded. */
  get trouble(): Error | undefined {
    return this.#trouble;
  }

  /** Tries a commit that changes nothing. Throws if the log cannot be written at this time. */
  probe(): void {
    this.#options.wal?.requireInPlace();
    this.#headFile?.writeIfDue();
    this.#transaction.probe();
    this.#trouble = undefined;
  }

  #append(seen: number, decide: Decide): Exclude<AppendResult, { kind: 'overtaken' }> {
    try {
      this.#options.wal?.requireInPlace();
      // Nothing is acknowledged beyond a head that is not on disk: a start compares the two.
      this.#headFile?.writeIfDue();
      this.prepare();
      this.#transaction.begin();
    } catch (error) {
      if (error instanceof DamagedStore) this.#options.damaged?.(error);
      return { kind: 'unavailable', cause: error as Error };
    }
    let head: number;
    let events: readonly RecordedEvent[];
    try {
      head = this.#known.followNow(this.#tree);
      // Usually nothing is newer, and reading the head takes less time than reading events.
      const newer = head === seen ? [] : [...this.#chunks(seen)].flat();
      events = recordedBehind(head, decide(newer, this.#kept));
      if (events.length > 0) this.#transaction.insert(events.map(encode), events);
    } catch (error) {
      this.#transaction.rollBack();
      const cause = orDamaged(error, this.#db.name) as Error;
      const isDamaged = cause instanceof DamagedStore || cause instanceof ImpossibleEvent;
      if (isDamaged) this.#options.damaged?.(cause);
      else if (!isOfStorage(cause)) throw cause;
      return { kind: 'unavailable', cause };
    }
    try {
      this.#transaction.commit();
    } catch (error) {
      const kind = this.#transaction.isUndone(error, head, events) ? 'unavailable' : 'unknown';
      return { kind, cause: error as Error };
    }
    if (events.length > 0) {
      this.#hasGrown = true;
      this.#note(highestIdIn(events));
    }
    return { kind: 'appended', events };
  }

  /** Records the events of another log: see {@link CommandLineStore.takeOver}. */
  async takeOver(fill: Fill): Promise<void> {
    this.prepare();
    this.#note(await takeOver(this.#transaction, this.#tree, fill));
  }

  async head(): Promise<number> {
    const read = () => orUnavailable(this.#db, () => this.#readHead());
    return this.#options.signal?.head(read) ?? read();
  }

  watch(grown: () => void): () => void {
    let seen = this.#headIfReadable();
    const timer = setInterval(() => {
      // The owner may have closed the connection while a watcher was left.
      if (!this.#db.open) return clearInterval(timer);
      // Without the signal, which no other process sends.
      const head = this.#headIfReadable();
      if (head === seen) return;
      seen = head;
      grown();
    }, WATCH_INTERVAL_MS);
    timer.unref();
    return () => clearInterval(timer);
  }

  async close(): Promise<void> {
    if (!this.#db.open) return;
    this.#headFile?.restore(() => this.#options.wal?.requireInPlace());
    this.#db.close();
    this.#options.wal?.close();
    this.#headFile?.close();
  }

  /** Calls `beginAppending`, once, before the first append, and notes the head. */
  prepare(): void {
    if (this.#beginAppending === undefined) return;
    this.#headFile = this.#beginAppending();
    this.#beginAppending = undefined;
    this.#tree.wholeFrontier();
    this.#note();
  }

  #readHead(): number {
    const head = this.#tree.wholeSize();
    this.#options.signal?.note(head);
    return head;
  }

  #headIfReadable(): number | undefined {
    try {
      const head = orUnavailable(this.#db, () => this.#readHead());
      this.#options.looked?.(undefined);
      return head;
    } catch (error) {
      this.#options.looked?.(error as Error);
      return undefined;
    }
  }

  *#chunks(after: number): Iterable<readonly RecordedEvent[]> {
    let seen = after;
    for (;;) {
      const left = Math.max(0, this.#readHead() - seen);
      const events = this.#stored.read(seen, Math.min(CHUNK_ROWS, left));
      if (events.length === 0) return;
      seen += events.length;
      yield events.map(decode);
      if (events.length < CHUNK_ROWS) return;
    }
  }

  // From memory, where it was just written: reading the table would take another transaction.
  #note(highestId?: bigint): void {
    this.#known.note(this.#tree.latestEdge);
    const frontier = this.#tree.latest;
    const root = frontier.root().toString('hex');
    this.#headFile?.tryToWrite({ position: frontier.size, root }, highestId);
  }
}

/**
 * Opens the log of a store's file and the file of its head. A copy begins its new epoch with the
 * first append, so that reading a backup does not change it.
 */
export function openLog(
  file: string,
  db: Database.Database,
  given: Omit<Options, 'beginAppending'> = {},
): SqliteEventLog {
  const { wal = new Wal(file) } = given;
  requireWholeLog(file, db);
  const beginAppending = () => {
    const { storeId, id } = beginDueEpoch(file, db);
    return new HeadFile(headFileOf(file), storeId, id);
  };
  const log = new SqliteEventLog(db, { ...given, beginAppending, wal });
  if (!isCopy(db)) log.prepare();
  return log;
}
