import { Worker, type WorkerOptions } from 'node:worker_threads';

/**
 * Starts a program of an engine's folder in a thread of its own: as it is built, or, where that is
 * what runs, as it is written.
 * @param name That of its file, with the folder and without the extension.
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
