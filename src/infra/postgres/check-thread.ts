import { parentPort, workerData } from 'node:worker_threads';
import { keepChecking } from '../keep-checking.ts';
import { checkPostgresStore } from './store-check.ts';

/** The thread that reads the whole database again and again. Its other end: checking-thread.ts. */

const { url, bytesPerSecond } = workerData as {
  readonly url: string;
  readonly bytesPerSecond: number;
};

await keepChecking(
  (pace) => checkPostgresStore(url, pace),
  bytesPerSecond,
  (message) => parentPort?.postMessage(message),
);
