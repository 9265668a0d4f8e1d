import { Frontier, type TreeHead } from '../../app/audit/merkle-tree.ts';
import type { Trail } from '../../app/ports/trail.ts';
import type { StoredEvent } from '../event-codec.ts';
import type { Queryable } from './database.ts';
import { MerkleTables } from './merkle-tables.ts';
import { readStored } from './stored-events.ts';

/** The trail in PostgreSQL. */
export class PostgresTrail implements Trail {
  readonly #db: Queryable;
  readonly #tree: MerkleTables;

  readonly #edge: () => Promise<Buffer>;

  /** @param edge The log's right edge as it is now, where somebody takes note of what is told of it. */
  constructor(db: Queryable, edge?: () => Promise<Buffer>) {
    this.#db = db;
    this.#tree = new MerkleTables(db);
    this.#edge = edge ?? (() => this.#tree.edge());
  }

  stored(after: number, limit: number): Promise<StoredEvent[]> {
    return readStored(this.#db, after, limit);
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
