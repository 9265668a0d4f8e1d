/** Starts the threads of the service. */

import { Worker, type WorkerOptions } from 'node:worker_threads';

/**
 * The folder of the programs, src/infra, as built. A thread never runs the source: Node strips its
 * types by WebAssembly, and V8 can crash when several threads do so at once (it races with itself
 * over the wrappers of the module's imports).
 */
const PROGRAMS = import.meta.filename.endsWith('.ts') ? '../../../dist/infra/' : '../';

/**
 * The limit of the young generation of a thread whose objects become garbage at once, such as those of a batch:
 * on a machine with much memory, V8 would let 100 MB of them accumulate in one thread.
 */
export const SMALL_NURSERY = { maxYoungGenerationSizeMb: 16 };

/**
 * Starts a program in a thread of its own.
 * @param name The path of the program from src/infra, without its extension.
 */
export function startThread(
  name:
    | 'sqlite/writer-thread'
    | 'sqlite/side-reader-thread'
    | 'sqlite/tree-thread'
    | 'sqlite/check-thread'
    | 'sqlite/snapshot-thread'
    | 'postgres/tree-thread'
    | 'postgres/check-thread'
    | 'postgres/snapshot-thread',
  workerData: object,
  options: WorkerOptions = {},
): Worker {
  return new Worker(new URL(`${PROGRAMS}${name}.js`, import.meta.url), { ...options, workerData });
}
