import { recordOf } from '../../log/recorded-event.ts';
import type { StoredRow, StoredTree, TreeAside } from '../../ports/evidence.ts';
import { StoredTreeCheck } from './stored-tree-check.ts';

/** The work of {@link Evidence.treeAside}: builds a log's tree from its first event on. */
export class TreeBuild {
  readonly #check: StoredTreeCheck;
  readonly #wanted: ReadonlySet<number>;
  readonly #roots = new Map<number, Uint8Array>();
  #size = 0;

  /** @param sizes The sizes at which the root is needed. */
  constructor(stored: StoredTree, sizes: readonly number[]) {
    this.#check = new StoredTreeCheck(stored);
    this.#wanted = new Set(sizes);
    this.#noteRoot();
  }

  add(rows: readonly StoredRow[]): void {
    for (const row of rows) {
      this.#check.append(recordOf(row));
      this.#size += 1;
      this.#noteRoot();
    }
  }

  /** @param last The position at which the log ends. */
  end(last: number): TreeAside {
    const size = this.#size;
    const differs = this.#check.findings().length > 0 || this.#check.end(size).length > 0;
    return { fits: size === last && !differs, root: this.#check.root(), roots: this.#roots };
  }

  #noteRoot(): void {
    if (this.#wanted.has(this.#size)) this.#roots.set(this.#size, this.#check.root());
  }
}
