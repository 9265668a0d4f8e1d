/** The Merkle tree of the log in PostgreSQL. */

import { type TreeSource, treeRoot } from '../../app/log/merkle-proofs.ts';
import { Frontier, leafHash, sizeOf } from '../../app/log/merkle-tree.ts';
import { recordOf, type StoredFields } from '../../app/log/recorded-event.ts';
import { requireEdge, requireSameSize } from '../../app/ports/store.ts';
import { requireNodes } from '../checking/stored-check.ts';
import type { RootAt } from '../snapshot/snapshot-file.ts';
import type { Queryable, Statement } from './connection/connection.ts';
import { readStored } from './stored-events.ts';

const EDGE = 'SELECT edge FROM store_orders.tree';
const SELECT_EDGE: Statement = { name: 'edge', text: EDGE };
const LOCK_EDGE: Statement = { name: 'lock', text: `${EDGE} FOR UPDATE` };
const SELECT_ENDS: Statement = {
  name: 'ends',
  text: `SELECT edge, (SELECT coalesce(max(position), 0) FROM store_orders.events)
           FROM store_orders.tree`,
};
const SELECT_NODES: Statement = {
  name: 'nodes',
  text: `SELECT hash FROM store_orders.tree_nodes
           WHERE height = $1 AND place >= $2 ORDER BY place LIMIT $3`,
};

/** The log's Merkle tree in PostgreSQL: its right edge, and one node in 256. */
export class MerkleTables implements TreeSource {
  readonly #db: Queryable;

  constructor(db: Queryable) {
    this.#db = db;
  }

  /** Returns the tree's packed right edge, from which its size and its root follow. */
  async edge(): Promise<Buffer> {
    return edgeIn(await this.#db.query<[unknown]>(SELECT_EDGE));
  }

  /** Throws {@link DamagedStore} if the log and its tree differ in size. */
  async requireWhole(): Promise<void> {
    const rows = await this.#db.query<[edge: unknown, last: number]>(SELECT_ENDS);
    requireSameSize(rows[0]?.[1] ?? 0, sizeOf(edgeIn(rows)));
  }

  /** Returns the right edge, and locks it against other appends until the transaction ends. */
  async lockedEdge(): Promise<Buffer> {
    return edgeIn(await this.#db.query<[unknown]>(LOCK_EDGE));
  }

  async leaves(from: number, count: number): Promise<Buffer[]> {
    const events = await readStored(this.#db, from, count);
    return events.map((event) => leafHash(recordOf(event)));
  }

  async nodes(height: number, from: number, count: number): Promise<Buffer[]> {
    const rows = await this.#db.query<[unknown]>(SELECT_NODES, [height, from, count]);
    return requireNodes(rows.flat(), height, count);
  }
}

/**
 * The growth of a tree by some events: its new right edge, and the columns of the nodes to store.
 */
export interface Growth {
  readonly edge: Buffer;
  readonly nodes: readonly [heights: number[], places: number[], hashes: Buffer[]];
}

/** Returns the growth of a tree by the events that follow it. */
export function growth(edge: Buffer, events: readonly StoredFields[]): Growth {
  const frontier = Frontier.unpack(edge);
  const nodes: [number[], number[], Buffer[]] = [[], [], []];
  for (const event of events) {
    frontier.append(leafHash(recordOf(event)), (height, place, hash) => {
      nodes[0].push(height);
      nodes[1].push(place);
      nodes[2].push(hash);
    });
  }
  return { edge: frontier.pack(), nodes };
}

/** Returns the right edge. Throws {@link DamagedStore} unless it is in the only row. */
function edgeIn(rows: readonly (readonly [edge: unknown, ...unknown[]])[]): Buffer {
  return requireEdge(rows.length > 1 ? null : rows[0]?.[0]);
}

/** Returns a function from a position of the log to the root of its tree there. */
export function rootsIn(db: Queryable): RootAt {
  const tree = new MerkleTables(db);
  return async (position) =>
    position <= sizeOf(await tree.edge()) ? treeRoot(position, tree) : undefined;
}
