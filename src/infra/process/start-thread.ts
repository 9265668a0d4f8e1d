import { Worker, type WorkerOptions } from 'node:worker_threads';

/**
 * Starts a program in a thread of its own: the built file, or the source if the source is running.
 * @param name The path of the program from src/infra, without its extension.
 */
export function startThread(
  name:
    | 'sqlite/writer-thread'
    | 'sqlite/tree-thread'
    | 'sqlite/check-thread'
    | 'postgres/check-thread',
  workerData: object,
  options: WorkerOptions = {},
): Worker {
  const extension = import.meta.filename.endsWith('.ts') ? 'ts' : 'js';
  return new Worker(new URL(`../${name}.${extension}`, import.meta.url), {
    ...options,
    workerData,
  });
}
