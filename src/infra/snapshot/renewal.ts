/**
 * The renewal of a snapshot while a store is served. A thread of its own reads the present snapshot and
 * the events since, and writes the next one: to copy the list of a large store would hold up requests.
 */

import { parentPort, workerData } from 'node:worker_threads';
import type { EventLogReader, FoldSource } from '../../app/ports/event-log.ts';
import type { Snapshots } from '../../app/ports/snapshots.ts';
import { ReadModel } from '../../app/read/read-model.ts';
import { OrderList } from '../../app/state/order-list.ts';
import { lowerPriority } from '../process/low-priority.ts';
import { startThread } from '../process/start-thread.ts';

/** The store whose snapshot is to be renewed. */
export interface ToRenew {
  /** The store's file, or the address of its database. */
  readonly at: string;
  /** The id of the store. */
  readonly storeId: string;
  /** The snapshot's file. */
  readonly file: string;
  /** See {@link Snapshots.sealWith}. */
  readonly key: Uint8Array;
}

/** The store as the thread has opened it. */
export interface OpenForRenewal {
  readonly log: EventLogReader;
  readonly foldSource: FoldSource;
  readonly snapshots: Required<Pick<Snapshots, 'load' | 'save'>>;
  close(): Promise<void>;
}

/** The result of a thread. */
type Renewed = { readonly position: number } | { readonly failed: string };

/**
 * Resolves with the position of the new snapshot. Rejects if there is none, or with the reason of the
 * signal; then the present one is still there.
 */
export async function renewInThread(
  engine: 'sqlite' | 'postgres',
  given: ToRenew,
  signal: AbortSignal,
): Promise<number> {
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const worker = startThread(`${engine}/snapshot-thread`, given);
  worker.unref();
  worker.on('message', (renewed: Renewed) => {
    if ('position' in renewed) resolve(renewed.position);
    else reject(new Error(renewed.failed));
  });
  worker.on('error', reject);
  worker.on('exit', () => reject(new Error('the thread has ended')));
  const abort = () => reject(signal.reason);
  signal.addEventListener('abort', abort);
  try {
    return await promise;
  } finally {
    signal.removeEventListener('abort', abort);
    // No other write of the file may begin before this thread has ended.
    await worker.terminate();
  }
}

/** Renews the snapshot that this thread was started for. */
export async function runRenewal(open: (given: ToRenew) => Promise<OpenForRenewal>): Promise<void> {
  lowerPriority();
  let renewed: Renewed;
  try {
    renewed = { position: await renew(await open(workerData as ToRenew)) };
  } catch (error) {
    renewed = { failed: (error as Error).message };
  }
  parentPort?.postMessage(renewed);
}

/** Returns the position of the new snapshot. */
async function renew({ log, foldSource, snapshots, close }: OpenForRenewal): Promise<number> {
  try {
    const present = await snapshots.load();
    const list = new OrderList(
      () => undefined,
      present.kind === 'found' ? present.list : undefined,
    );
    await new ReadModel(log, list, foldSource).current();
    await snapshots.save(list.pack());
    return list.position;
  } finally {
    await close();
  }
}
