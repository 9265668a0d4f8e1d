/** The trail of a log in PostgreSQL. */

import { Frontier, type TreeHead } from '../../app/log/merkle-tree.ts';
import type { StoredFields } from '../../app/log/recorded-event.ts';
import type { Trail } from '../../app/ports/trail.ts';
import type { Queryable } from './connection/connection.ts';
import type { PostgresEventLog } from './event-log.ts';
import { readTraces } from './event-traces.ts';
import { MerkleTables } from './merkle-tables.ts';
import { readStored } from './stored-events.ts';

/** A log as an instance knows it. */
export type KnownLog = Pick<PostgresEventLog, 'edge' | 'knownHead'>;

/** The trail of a log in PostgreSQL, for audits and proofs. */
export class PostgresTrail implements Trail {
  readonly #db: Queryable;
  readonly #tree: MerkleTables;

  readonly #known: KnownLog | undefined;

  /** @param known Absent: nothing is known of the log before it is read. */
  constructor(db: Queryable, known?: KnownLog) {
    this.#db = db;
    this.#tree = new MerkleTables(db);
    this.#known = known;
  }

  stored(after: number, limit: number): Promise<StoredFields[]> {
    return readStored(this.#db, after, limit, this.#known?.knownHead);
  }

  traces(positions: readonly number[]): Promise<ReadonlyMap<number, string>> {
    return readTraces(this.#db, positions);
  }

  async treeHead(): Promise<TreeHead> {
    return Frontier.unpack(await (this.#known ?? this.#tree).edge()).head();
  }

  leaves(from: number, count: number): Promise<Buffer[]> {
    return this.#tree.leaves(from, count);
  }

  nodes(height: number, from: number, count: number): Promise<Buffer[]> {
    return this.#tree.nodes(height, from, count);
  }
}
