/** The thread that builds a tree beside the check of its events, as its starter uses it. */

import type { Worker } from 'node:worker_threads';
import type { StoredTree, TreeAside } from '../../app/ports/evidence.ts';
import { startThread } from '../process/start-thread.ts';

/** The nodes of a stored tree, in a form that can be sent to a thread. */
export interface ReadTree extends Pick<StoredTree, 'edge' | 'nodes'> {
  /** The hashes by height and place, as in "8/0". */
  readonly hashes: ReadonlyMap<string, Uint8Array>;
}

/** Returns a stored tree that was read. */
export function storedTreeIn({ edge, nodes, hashes }: ReadTree): StoredTree {
  return { edge, nodes, nodeAt: (height, place) => hashes.get(`${height}/${place}`) };
}

/** The input of the thread. */
export interface TreeWork {
  readonly tree: ReadTree;
  /** The last position. */
  readonly last: number;
  /** The sizes at which the root is needed. */
  readonly sizes: readonly number[];
}

/** The most chunks in the thread's queue. */
const MAX_QUEUED = 4;

/**
 * A thread that builds a log's tree while another one checks the same events. It has no connection
 * of its own, because the server would send everything twice: the lines are passed on to it.
 */
export class TreeThread {
  readonly #worker: Worker;
  /** The tree; `undefined` if the thread failed or was stopped. */
  readonly made: Promise<TreeAside | undefined>;
  #queued = 0;
  #goOn: () => void = () => {};
  #isOver = false;

  constructor(work: TreeWork) {
    this.#worker = startThread('postgres/tree-thread', work);
    this.made = new Promise((resolve) => {
      const end = (tree?: TreeAside) => {
        this.#isOver = true;
        this.#goOn();
        resolve(tree);
      };
      this.#worker.on('message', (message: 'taken' | TreeAside) => {
        if (message !== 'taken') return end({ ...message, root: Buffer.from(message.root) });
        this.#queued -= 1;
        this.#goOn();
      });
      this.#worker.once('error', () => end());
      this.#worker.once('exit', () => end());
    });
  }

  /**
   * Passes a chunk of lines on, which is unusable afterwards. Resolves when the next may follow.
   */
  async add(lines: Buffer<ArrayBuffer>): Promise<void> {
    this.#queued += 1;
    this.#worker.postMessage(lines, [lines.buffer]);
    while (this.#queued >= MAX_QUEUED && !this.#isOver) {
      await new Promise<void>((resolve) => {
        this.#goOn = resolve;
      });
    }
  }

  /** Has the tree made, after the last event. */
  end(): void {
    this.#worker.postMessage('end');
  }

  /** Stops the thread. */
  async stop(): Promise<void> {
    await this.#worker.terminate();
  }
}
