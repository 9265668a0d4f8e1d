/** The two conditions of every engine's {@link CommandLineStore.takeOver}. */

import { CannotStart } from '../../app/lifecycle/cannot-start.ts';
import type { Frontier, TreeHead } from '../../app/log/merkle-tree.ts';

/** Throws {@link CannotStart} where the store that is to take events over has some of its own. */
export function requireEmpty(head: number): void {
  if (head > 0)
    throw new CannotStart(`The store has ${head} events: the import requires an empty one.`);
}

/** Throws where the tree of the events that were taken over is not the one that they had. */
export function requireSameTree(tree: Frontier, due: TreeHead): void {
  if (tree.size !== due.size || !tree.root().equals(due.root)) {
    throw new Error('the tree of these events is another one');
  }
}
