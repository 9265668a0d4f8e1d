import { parentPort, workerData } from 'node:worker_threads';
import { keepChecking } from '../keep-checking.ts';
import { checkSqliteStore } from './store-check.ts';

/** The thread that reads all files of a store again and again. Its other end: checking-thread.ts. */

const { file, bytesPerSecond } = workerData as {
  readonly file: string;
  readonly bytesPerSecond: number;
};

await keepChecking(
  (pace) => checkSqliteStore(file, pace),
  bytesPerSecond,
  (message) => parentPort?.postMessage(message),
);
