/**
 * The thread that builds a store's tree while another one checks the events: hashing is half of the
 * work. It reports the beginning of its read transaction, so that the other can detect a commit
 * between their snapshots. Main thread: evidence.ts.
 */

import { parentPort, workerData } from 'node:worker_threads';
import { StoredTreeCheck } from '../../app/audit/stored-tree-check.ts';
import { recordOf } from '../../app/log/recorded-event.ts';
import type { StoredTree, TreeAside } from '../../app/ports/evidence.ts';
import { openSqliteEvidence } from './evidence.ts';

const { file, last, sizes } = workerData as {
  readonly file: string;
  readonly last: number;
  readonly sizes: readonly number[];
};

const evidence = openSqliteEvidence(file);
parentPort?.postMessage('begun');
const tree = new StoredTreeCheck(evidence.tree as StoredTree);
const wanted = new Set(sizes);
const roots = new Map<number, Uint8Array>();
let size = 0;
const noteRoot = () => {
  if (wanted.has(size)) roots.set(size, tree.root());
};
noteRoot();
for await (const rows of evidence.events()) {
  for (const row of rows) {
    tree.append(recordOf(row));
    size += 1;
    noteRoot();
  }
}
const fits = size === last && tree.findings().length === 0 && tree.end(size).length === 0;
parentPort?.postMessage({ fits, root: tree.root(), roots } satisfies TreeAside);
await evidence.close();
