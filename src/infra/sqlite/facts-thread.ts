import { parentPort, workerData } from 'node:worker_threads';
import Database from 'better-sqlite3';
import { factChunksOf } from './fact-chunks.ts';

/**
 * The thread that reads ahead, so that two processors share the work of a long fold: this one has
 * SQLite put the texts together, the other takes them apart. Main thread: facts-ahead.ts.
 */

const { file, end } = workerData as { readonly file: string; readonly end: string };

const chunkAfter = factChunksOf(new Database(file, { readonly: true }), end);

parentPort?.on('message', (after: number) => {
  const chunk = chunkAfter(after);
  const [count, , , data, metadata] = chunk;
  // Handed over, not copied.
  parentPort?.postMessage(chunk, count === 0 ? [] : [data.buffer, metadata.buffer]);
});
