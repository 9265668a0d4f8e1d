/** The thread that reads rows of a store for the server's thread. Main thread: side-reader.ts. */

import { parentPort, workerData } from 'node:worker_threads';
import Database from 'better-sqlite3';
import { loaded } from '../process/start-thread.ts';
import { loadSqlite } from './load-sqlite.ts';

loadSqlite();
loaded();

const { file, sql } = workerData as { readonly file: string; readonly sql: string };

const select = new Database(file, { readonly: true, fileMustExist: true }).prepare(sql).raw();
parentPort?.on('message', (parameters: object) => {
  const row = select.get(parameters) as readonly unknown[];
  const blobs = row.filter((value) => Buffer.isBuffer(value));
  parentPort?.postMessage(row, blobs.map(({ buffer }) => buffer) as ArrayBuffer[]);
});
parentPort?.postMessage('ready');
