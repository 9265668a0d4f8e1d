import type Database from 'better-sqlite3';
import type { TreeSource } from '../../app/audit/merkle-proofs.ts';
import { Frontier, leafHash } from '../../app/audit/merkle-tree.ts';
import { recordOf } from '../../app/audit/record.ts';
import { UnreadableEvent } from '../../app/ports/event-log.ts';
import type { StoredEvent } from '../event-codec.ts';
import { StoredEvents } from './stored-events.ts';

/** Events that are read at once where the tree is behind the log. */
const CHUNK = 1_000;

/** No edge that a tree can have. */
const NOTHING = Buffer.alloc(0);

/**
 * The log's Merkle tree in SQLite: its right edge, and one node in 256. It grows inside whatever
 * transaction the log has begun, so that it always is the tree of exactly the events that are there.
 */
export class MerkleTables implements TreeSource {
  readonly #selectEdge: Database.Statement;
  readonly #updateEdge: Database.Statement;
  readonly #insertNode: Database.Statement;
  readonly #selectNodes: Database.Statement;
  readonly #stored: StoredEvents;
  /** What this connection has last seen or written of the edge. Another may have written since. */
  #packed: Buffer = NOTHING;
  #frontier = new Frontier();

  constructor(db: Database.Database) {
    this.#selectEdge = db.prepare('SELECT edge FROM tree').pluck();
    this.#updateEdge = db.prepare('UPDATE tree SET edge = ?');
    this.#insertNode = db.prepare('INSERT INTO tree_nodes VALUES (?, ?, ?)');
    this.#selectNodes = db
      .prepare(`SELECT hash FROM tree_nodes WHERE height = ? AND place >= ? ORDER BY place LIMIT ?`)
      .pluck();
    this.#stored = new StoredEvents(db);
  }

  /** The tree's right edge: its size and its root. */
  frontier(): Frontier {
    const packed = this.#selectEdge.get() as Buffer;
    if (!packed.equals(this.#packed)) {
      this.#frontier = Frontier.unpack(packed);
      this.#packed = packed;
    }
    return this.#frontier;
  }

  /** The right edge as this connection last read or wrote it. Nobody's, if that was rolled back. */
  get latest(): Frontier {
    return this.#frontier;
  }

  /** Adds the events that were just appended to the log, and whatever came before and is missing. */
  append(events: readonly StoredEvent[]): void {
    const [first] = events;
    if (first === undefined) return;
    const frontier = this.#taken();
    this.#readUpTo(first.position - 1, frontier);
    for (const event of events) this.#add(event, frontier);
    this.#write(frontier);
  }

  /** Adds whatever the log has and the tree has not: a log that an older version has written. */
  catchUp(head: number): void {
    if (this.frontier().size === head) return;
    const frontier = this.#taken();
    this.#readUpTo(head, frontier);
    this.#write(frontier);
  }

  leaves(from: number, count: number): Buffer[] {
    return this.#stored.read(from, count).map((event) => leafHash(recordOf(event)));
  }

  nodes(height: number, from: number, count: number): Buffer[] {
    return this.#selectNodes.all(height, from, count) as Buffer[];
  }

  /** The right edge, to be changed: until it is written, it is not what the table has. */
  #taken(): Frontier {
    const frontier = this.frontier();
    this.#packed = NOTHING;
    return frontier;
  }

  #readUpTo(head: number, frontier: Frontier): void {
    while (frontier.size < head) {
      const events = this.#stored.read(frontier.size, Math.min(CHUNK, head - frontier.size));
      for (const event of events) this.#add(event, frontier);
      if (events.length === 0) throw new UnreadableEvent(frontier.size + 1, 'it is missing');
    }
  }

  #add(event: StoredEvent, frontier: Frontier): void {
    if (event.position !== frontier.size + 1) {
      throw new UnreadableEvent(frontier.size + 1, 'it is missing');
    }
    frontier.append(leafHash(recordOf(event)), (height, place, hash) => {
      this.#insertNode.run(height, place, hash);
    });
  }

  #write(frontier: Frontier): void {
    const packed = frontier.pack();
    this.#updateEdge.run(packed);
    this.#frontier = frontier;
    this.#packed = packed;
  }
}
