import { Frontier, type TreeHead } from '../../app/log/merkle-tree.ts';
import type { Trail } from '../../app/ports/trail.ts';
import type { StoredEvent } from '../events/codec.ts';
import type { Queryable } from './connection/connection.ts';
import { readTraces } from './event-traces.ts';
import { MerkleTables } from './merkle-tables.ts';
import { readStored } from './stored-events.ts';

/** The trail of a log in PostgreSQL, for audits and proofs. */
export class PostgresTrail implements Trail {
  readonly #db: Queryable;
  readonly #tree: MerkleTables;

  readonly #edge: () => Promise<Buffer>;

  /** @param edge Reads the log's right edge, and notes it as known; absent: reads it only. */
  constructor(db: Queryable, edge?: () => Promise<Buffer>) {
    this.#db = db;
    this.#tree = new MerkleTables(db);
    this.#edge = edge ?? (() => this.#tree.edge());
  }

  stored(after: number, limit: number): Promise<StoredEvent[]> {
    return readStored(this.#db, after, limit);
  }

  traces(positions: readonly number[]): Promise<ReadonlyMap<number, string>> {
    return readTraces(this.#db, positions);
  }

  async treeHead(): Promise<TreeHead> {
    const frontier = Frontier.unpack(await this.#edge());
    return { size: frontier.size, root: frontier.root() };
  }

  leaves(from: number, count: number): Promise<Buffer[]> {
    return this.#tree.leaves(from, count);
  }

  nodes(height: number, from: number, count: number): Promise<Buffer[]> {
    return this.#tree.nodes(height, from, count);
  }
}
