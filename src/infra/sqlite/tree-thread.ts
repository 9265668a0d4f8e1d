/**
 * The thread that builds a store's tree while another one checks the events: hashing is half of the
 * work. It reports the beginning of its read transaction, so that the other can detect a commit
 * between their snapshots. Main thread: evidence.ts.
 */

import { parentPort, workerData } from 'node:worker_threads';
import { TreeBuild } from '../../app/audit/trail/tree-build.ts';
import { nextTurn } from '../../app/event-loop.ts';
import type { StoredTree } from '../../app/ports/evidence.ts';
import { loaded } from '../process/start-thread.ts';
import { openSqliteEvidence } from './evidence.ts';
import { loadSqlite } from './load-sqlite.ts';

loadSqlite();
loaded();

const { file, last, sizes } = workerData as {
  readonly file: string;
  readonly last: number;
  readonly sizes: readonly number[];
};

const evidence = openSqliteEvidence(file);
parentPort?.postMessage('begun');
const build = new TreeBuild(evidence.tree as StoredTree, sizes);
for await (const rows of evidence.events()) {
  build.add(rows);
  // The thread may be asked to end.
  await nextTurn();
}
parentPort?.postMessage(build.end(last));
await evidence.close();
