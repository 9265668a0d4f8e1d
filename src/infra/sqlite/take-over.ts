import { highestIdIn, highestOf } from '../../app/log/recorded-event.ts';
import type { Fill } from '../../app/ports/store.ts';
import { requireEmpty, requireSameTree } from '../checking/stored-check.ts';
import { decode } from '../events/codec.ts';
import type { LogTransaction } from './log-transaction.ts';
import type { MerkleTables } from './merkle-tables.ts';

/**
 * Records the events of another log: see {@link CommandLineStore.takeOver}. Returns the highest id
 * among their orders.
 */
export async function takeOver(
  transaction: LogTransaction,
  tree: MerkleTables,
  fill: Fill,
): Promise<bigint> {
  transaction.begin();
  try {
    requireEmpty(tree.wholeSize());
    let highestId = 0n;
    const due = await fill((events) => {
      const recorded = events.map(decode);
      transaction.insert(events, recorded);
      highestId = highestOf([highestId, highestIdIn(recorded)]);
    });
    requireSameTree(tree.frontier(), due);
    transaction.commit();
    return highestId;
  } catch (error) {
    transaction.isUndone(error, 0, []);
    throw error;
  }
}
