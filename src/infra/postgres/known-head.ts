import { treeRoot } from '../../app/audit/merkle-proofs.ts';
import { Frontier } from '../../app/audit/merkle-tree.ts';
import { StoreUnavailable } from '../../app/ports/store.ts';
import type { Queryable } from './database.ts';
import { MerkleTables, sizeOf } from './merkle-tables.ts';

/** The log in the database is not the one that this instance has told its clients of. */
export class OtherLog extends StoreUnavailable {}

/**
 * The newest head of the log that this instance has seen, by its tree's right edge. Clients may
 * have been told of it, so it must never be gone: after a failover to a standby that was behind,
 * the log is another one, and to go on with it would be to deny what was acknowledged.
 */
export class KnownHead {
  #edge = new Frontier().pack();

  /** What is known now: to be read before the database is asked, and compared with its answer. */
  get edge(): Buffer {
    return this.#edge;
  }

  /** Notes an edge that was read, if it is newer. Throws {@link OtherLog} if it cannot be. */
  note(read: Buffer, before: Buffer): void {
    const [size, known] = [sizeOf(read), sizeOf(before)];
    if (size < known) throw otherLog(known, `it ends at position ${size}`);
    if (size === known && !read.equals(before)) throw otherLog(known, 'it is another one there');
    if (size > sizeOf(this.#edge)) this.#edge = read;
  }

  /** Sees whether the log, as a new connection shows it, still has all that is known of it. */
  async compare(connection: Queryable): Promise<void> {
    const before = this.#edge;
    const known = sizeOf(before);
    if (known === 0) return;
    const tree = new MerkleTables(connection);
    this.note(await tree.edge(), before);
    await tree.requireWhole();
    const root = Frontier.unpack(before).root();
    if (!root.equals(await treeRoot(known, tree))) throw otherLog(known, 'it is another one there');
  }
}

function otherLog(known: number, wrong: string): OtherLog {
  return new OtherLog(
    new Error(`the log has lost what was acknowledged up to position ${known}: ${wrong}`),
  );
}
