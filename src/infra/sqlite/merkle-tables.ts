import type Database from 'better-sqlite3';
import type { TreeSource } from '../../app/audit/merkle-proofs.ts';
import { Frontier, leafHash } from '../../app/audit/merkle-tree.ts';
import { recordOf } from '../../app/audit/record.ts';
import { UnreadableEvent } from '../../app/ports/event-log.ts';
import { requireSameSize } from '../../app/ports/store.ts';
import type { StoredEvent } from '../event-codec.ts';
import { StoredEvents } from './stored-events.ts';

/** Events that are read at once to make the tree of a log that has none. */
const CHUNK = 1_000;

/** No edge that a tree can have. */
const NOTHING = Buffer.alloc(0);

/**
 * The log's Merkle tree in SQLite: its right edge, and one node in 256. It grows inside whatever
 * transaction the log has begun, so that it always is the tree of exactly the events that are there.
 */
export class MerkleTables implements TreeSource {
  readonly #selectEdge: Database.Statement;
  readonly #selectEnds: Database.Statement;
  readonly #updateEdge: Database.Statement;
  readonly #insertNode: Database.Statement;
  readonly #selectNodes: Database.Statement;
  readonly #stored: StoredEvents;
  /** What this connection has last seen or written of the edge. Another may have written since. */
  #packed: Buffer = NOTHING;
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

  /** The tree's right edge: its size and its root. */
  frontier(): Frontier {
    return this.#unpacked(this.#selectEdge.get() as Buffer);
  }

  /** The right edge of the whole log. Throws {@link DamagedStore} where the log has another size. */
  wholeFrontier(): Frontier {
    const [packed, last] = this.#ends();
    const frontier = this.#unpacked(packed);
    requireSameSize(last, frontier.size);
    return frontier;
  }

  /** The log's size, by its tree. Throws {@link DamagedStore} where the log has another. */
  wholeSize(): number {
    const [packed, last] = this.#ends();
    requireSameSize(last, sizeOf(packed));
    return last;
  }

  /** The right edge as this connection last read or wrote it. Nobody's, if that was rolled back. */
  get latest(): Frontier {
    return this.#frontier;
  }

  /** Adds the events that are being appended to the log, which follow the tree as it is. */
  append(events: readonly StoredEvent[]): void {
    if (events.length === 0) return;
    const frontier = this.#taken();
    for (const event of events) this.#add(event, frontier);
    this.#write(frontier);
  }

  /** Makes the tree of a log that has none yet: for the migration that creates the tree. */
  create(): void {
    const frontier = this.#taken();
    let events = this.#stored.read(0, CHUNK);
    for (; events.length > 0; events = this.#stored.read(frontier.size, CHUNK)) {
      for (const event of events) this.#add(event, frontier);
    }
    if (frontier.size > 0) this.#write(frontier);
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

  #ends(): [packed: Buffer, last: number] {
    return this.#selectEnds.get() as [Buffer, number];
  }

  #unpacked(packed: Buffer): Frontier {
    if (!packed.equals(this.#packed)) {
      this.#frontier = Frontier.unpack(packed);
      this.#packed = packed;
    }
    return this.#frontier;
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

/** The size of a tree, by its packed right edge. */
function sizeOf(packed: Buffer): number {
  return Number(packed.readBigUInt64BE());
}
