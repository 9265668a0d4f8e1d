/**
 * The thread that builds a store's tree while another one checks the events: hashing is half of the
 * work. Main thread: tree-aside.ts.
 */

import { parentPort, workerData } from 'node:worker_threads';
import { TreeBuild } from '../../app/audit/trail/tree-build.ts';
import { loaded } from '../process/start-thread.ts';
import { rowsIn } from './event-lines.ts';
import { storedTreeIn, type TreeWork } from './tree-aside.ts';

loaded();

const { tree, last, sizes } = workerData as TreeWork;

const build = new TreeBuild(storedTreeIn(tree), sizes);
parentPort?.on('message', (message: Uint8Array | 'end') => {
  if (message === 'end') {
    parentPort?.postMessage(build.end(last));
    return parentPort?.close();
  }
  build.add(rowsIn(Buffer.from(message.buffer, message.byteOffset, message.byteLength)));
  parentPort?.postMessage('taken');
});
