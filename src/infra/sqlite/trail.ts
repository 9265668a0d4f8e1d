import type Database from 'better-sqlite3';
import type { TreeHead } from '../../app/log/merkle-tree.ts';
import type { StoredFields } from '../../app/log/recorded-event.ts';
import type { Trail } from '../../app/ports/trail.ts';
import type { AppendSignal } from './append-signal.ts';
import { EventTraces } from './event-traces.ts';
import { KnownHead } from './known-head.ts';
import { MerkleTables } from './merkle-tables.ts';
import { orUnavailable } from './storage/fault.ts';
import { StoredEvents } from './stored-events.ts';

/** The trail of a log in SQLite, for audits and proofs. */
export class SqliteTrail implements Trail {
  readonly #db: Database.Database;
  readonly #stored: StoredEvents;
  readonly #traces: EventTraces;
  readonly #tree: MerkleTables;
  readonly #known: KnownHead;
  readonly #signal: AppendSignal | undefined;

  /** @param signal Receives each head that is read; absent: the log over the connection has none. */
  constructor(db: Database.Database, signal?: AppendSignal) {
    this.#db = db;
    this.#stored = new StoredEvents(db);
    this.#traces = new EventTraces(db);
    this.#tree = new MerkleTables(db);
    this.#known = new KnownHead(this.#tree.wholeEdge());
    this.#signal = signal;
  }

  async stored(after: number, limit: number): Promise<StoredFields[]> {
    return orUnavailable(this.#db, () => {
      const end = this.#tree.wholeSize();
      this.#signal?.note(end);
      return this.#stored.read(after, Math.max(0, Math.min(limit, end - after)));
    });
  }

  async traces(positions: readonly number[]): Promise<ReadonlyMap<number, string>> {
    return orUnavailable(this.#db, () => this.#traces.read(positions));
  }

  async treeHead(): Promise<TreeHead> {
    const head = orUnavailable(this.#db, () => this.#tree.wholeFrontier()).head();
    this.#signal?.note(head.size);
    await this.#known.follow(this.#tree.latestEdge, this);
    return head;
  }

  leaves(from: number, count: number): Buffer[] {
    return orUnavailable(this.#db, () => this.#tree.leaves(from, count));
  }

  nodes(height: number, from: number, count: number): Buffer[] {
    return orUnavailable(this.#db, () => this.#tree.nodes(height, from, count));
  }
}
