/** The newest head of the log that a process has seen, which every later head must extend. */

import { isExtension } from '../../app/audit/trail/extension.ts';
import type { TreeSource } from '../../app/log/merkle-proofs.ts';
import { leadsTo, sizeOf } from '../../app/log/merkle-tree.ts';
import { DamagedStore } from '../../app/ports/store.ts';
import type { MerkleTables } from './merkle-tables.ts';

/**
 * The newest head that a connection has read or written, as the tree's right edge. Other processes
 * append as well, such as an import; but none exchanges the log for another one, however long that
 * is and however well its own tree fits.
 */
export class KnownHead {
  #edge: Buffer | undefined;

  /** @param edge The edge of a log that was just opened; absent: the first one that is followed. */
  constructor(edge?: Buffer) {
    this.#edge = edge;
  }

  /**
   * Notes an edge that was read. Throws {@link DamagedStore} unless it extends the known one. Takes
   * no longer for a million new events than for some hundred: see {@link isExtension}.
   * @param source The tree as it was read, or a newer one.
   */
  async follow(read: Buffer, source: TreeSource): Promise<void> {
    const known = this.#edge ?? read;
    if (!(await isExtension(known, read, source))) throw otherLog(known);
    // Unless a newer one was noted meanwhile.
    if (sizeOf(read) >= sizeOf(this.#edge ?? read)) this.#edge = read;
  }

  /**
   * Reads the head of a log, and notes it as {@link follow} does, but at once, for a writer: hashes
   * each new event of another process. Throws {@link DamagedStore} if the log has another size.
   */
  followNow(tree: MerkleTables): number {
    const read = tree.wholeEdge();
    const known = this.#edge ?? read;
    // Between two appends of one writer, the edge stays the same.
    if (!read.equals(known)) {
      const leaves = tree.leavesBetween(sizeOf(known), sizeOf(read));
      if (!leadsTo(known, read, leaves)) throw otherLog(known);
    }
    this.#edge = read;
    return sizeOf(read);
  }

  /** Notes the edge of what this connection has recorded itself. */
  note(written: Buffer): void {
    this.#edge = written;
  }
}

function otherLog(known: Buffer): DamagedStore {
  return new DamagedStore(
    `the log lacks acknowledged events up to position ${sizeOf(known)}: it is another one there`,
  );
}
