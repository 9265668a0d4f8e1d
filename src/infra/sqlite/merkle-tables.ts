/** The Merkle tree of the log in SQLite. */

import type Database from 'better-sqlite3';
import { type TreeSource, treeRoot } from '../../app/log/merkle-proofs.ts';
import { Frontier, leafHash, sizeOf } from '../../app/log/merkle-tree.ts';
import { recordOf, type StoredFields } from '../../app/log/recorded-event.ts';
import { UnreadableEvent } from '../../app/ports/event-log.ts';
import { requireEdge, requireSameSize } from '../../app/ports/store.ts';
import { requireNodes } from '../checking/stored-check.ts';
import { CHUNK_ROWS } from '../events/row-mapping.ts';
import type { RootAt } from '../snapshot/snapshot-file.ts';
import { StoredEvents } from './stored-events.ts';

/** A value that differs from the edge of every tree. */
const NO_EDGE = Buffer.alloc(0);

/**
 * The log's Merkle tree in SQLite: its right edge, and one node in 256. It grows inside the
 * transaction that the log has begun, so that it always covers exactly the recorded events.
 */
export class MerkleTables implements TreeSource {
  readonly #selectEdge: Database.Statement;
  readonly #selectEnds: Database.Statement;
  readonly #updateEdge: Database.Statement;
  readonly #insertNode: Database.Statement;
  readonly #selectNodes: Database.Statement;
  readonly #stored: StoredEvents;
  /**
   * The edge at this connection's last read or write. Another connection may have written since.
   */
  #packed: Buffer = NO_EDGE;
  #frontier = new Frontier();

  constructor(db: Database.Database) {
    this.#selectEdge = db.prepare('SELECT edge FROM tree').pluck();
    this.#selectEnds = db
      .prepare('SELECT edge, (SELECT coalesce(max(position), 0) FROM events) FROM tree')
      .raw();
    this.#updateEdge = db.prepare('UPDATE tree SET edge = ?');
    this.#insertNode = db.prepare('INSERT INTO tree_nodes VALUES (?, ?, ?)');
    this.#selectNodes = db
      .prepare(`SELECT hash FROM tree_nodes WHERE height = ? AND place >= ? ORDER BY place LIMIT ?`)
      .pluck();
    this.#stored = new StoredEvents(db);
  }

  /** Returns the tree's right edge, from which its size and its root follow. */
  frontier(): Frontier {
    return this.#unpacked(this.#selectEdge.get());
  }

  /** Returns the tree's right edge. Throws {@link DamagedStore} if the log has another size. */
  wholeFrontier(): Frontier {
    return this.#unpacked(this.wholeEdge());
  }

  /** Returns the tree's size. Throws {@link DamagedStore} if the log has another size. */
  wholeSize(): number {
    return sizeOf(this.wholeEdge());
  }

  /** Returns the packed right edge. Throws {@link DamagedStore} if the log has another size. */
  wholeEdge(): Buffer {
    const [edge, last] = (this.#selectEnds.get() ?? []) as [unknown, number];
    const packed = requireEdge(edge);
    requireSameSize(last, sizeOf(packed));
    return packed;
  }

  /** The right edge at this connection's last read or write. Invalid after a rollback. */
  get latest(): Frontier {
    return this.#frontier;
  }

  /** The packed form of {@link latest}. */
  get latestEdge(): Buffer {
    return this.#packed;
  }

  /** Adds the events that are being appended. Throws {@link UnreadableEvent} at a gap. */
  append(events: readonly StoredFields[]): void {
    if (events.length === 0) return;
    const frontier = this.frontier();
    // The cached edge is none until the changed one is written.
    this.#packed = NO_EDGE;
    for (const event of events) this.#add(event, frontier);
    const packed = frontier.pack();
    this.#updateEdge.run(packed);
    this.#frontier = frontier;
    this.#packed = packed;
  }

  /** Creates the tree of a log that has none: for the migration that introduces it. */
  create(): void {
    let events = this.#stored.read(0, CHUNK_ROWS);
    for (; events.length > 0; events = this.#stored.read(this.latest.size, CHUNK_ROWS)) {
      this.append(events);
    }
  }

  leaves(from: number, count: number): Buffer[] {
    return this.#stored.read(from, count).map((event) => leafHash(recordOf(event)));
  }

  /** Yields the leaves behind a position, up to a size of the tree. */
  *leavesBetween(from: number, size: number): Iterable<Buffer> {
    for (let at = from; at < size; at += CHUNK_ROWS) {
      yield* this.leaves(at, Math.min(CHUNK_ROWS, size - at));
    }
  }

  nodes(height: number, from: number, count: number): Buffer[] {
    return requireNodes(this.#selectNodes.all(height, from, count), height, count);
  }

  /** Returns the tree of an edge as it is stored. Throws {@link DamagedStore} if it is none. */
  #unpacked(edge: unknown): Frontier {
    // Before an append it is the cached one.
    if (!Buffer.isBuffer(edge) || !edge.equals(this.#packed)) {
      const packed = requireEdge(edge);
      this.#frontier = Frontier.unpack(packed);
      this.#packed = packed;
    }
    return this.#frontier;
  }

  #add(event: StoredFields, frontier: Frontier): void {
    if (event.position !== frontier.size + 1) {
      throw new UnreadableEvent(frontier.size + 1, 'it is missing');
    }
    frontier.append(leafHash(recordOf(event)), (height, place, hash) => {
      this.#insertNode.run(height, place, hash);
    });
  }
}

/** Returns a function from a position of the log to the root of its tree there. */
export function rootsIn(db: Database.Database): RootAt {
  const tree = new MerkleTables(db);
  return async (position) =>
    position <= tree.frontier().size ? treeRoot(position, tree) : undefined;
}
