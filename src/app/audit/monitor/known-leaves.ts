/** The hashes of all leaves that a monitor knows. Lost or damaged ones are read from the log again. */

import { Frontier, type TreeHead } from '../../log/merkle-tree.ts';
import type { PublishedLog, Rows } from '../../ports/published-log.ts';
import { areSameBytes } from '../proofs/bytes.ts';
import { followTree } from './follow-tree.ts';
import { rootsAt } from './leaf-comparison.ts';
import { FalseTile, PublishedTree } from './published-tree.ts';

export class KnownLeaves {
  readonly rows: Rows;
  /** True once the leaves were seen to lead to the known root. */
  areChecked = false;
  readonly #log: PublishedLog;

  constructor(log: PublishedLog, rows: Rows) {
    this.#log = log;
    this.rows = rows;
  }

  /** Returns true unless leaves of this tree are missing, or were damaged before the first round. */
  areOf(known: TreeHead): boolean {
    const areThere = this.rows.count >= known.size;
    this.areChecked &&= areThere;
    this.areChecked ||= areThere && !this.areDamaged(known);
    return this.areChecked;
  }

  /** Returns true if all leaves of this tree are there and do not lead to its root. */
  areDamaged({ size, root }: TreeHead): boolean {
    if (this.rows.count < size) return false;
    const [found] = rootsAt([size], this.rows);
    return !areSameBytes(found, root);
  }

  /** Returns the root that the known tree had at an earlier size. */
  async rootAt(size: number, known: TreeHead): Promise<Buffer> {
    const [earlier, whole] = rootsAt([size, known.size], this.rows);
    if (areSameBytes(whole, known.root)) return earlier;
    await this.fetch(known);
    return rootsAt([size], this.rows)[0];
  }

  /** Reads the leaves of the known tree from its tiles. */
  async fetch({ size, root }: TreeHead): Promise<void> {
    const edge = new Frontier();
    await followTree(new PublishedTree(this.#log, size), edge, this.rows);
    if (!areSameBytes(edge.root(), root)) {
      this.rows.write(0, Buffer.alloc(0));
      throw new FalseTile(`the tiles do not lead to the root that was signed at ${size} events`);
    }
    this.areChecked = true;
  }
}
