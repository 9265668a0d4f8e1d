/** Checks a whole store. */

import { DamagedEvidence, type Evidence, type StoredRow } from '../../ports/evidence.ts';
import { EventRules } from '../proofs/event-rules.ts';
import { type ExpectedHead, type Finding, plainTree, TrailCheck } from '../proofs/trail-check.ts';
import { headsOfBreaks } from './epoch-heads.ts';
import { StoredTreeCheck } from './stored-tree-check.ts';

export interface Checked {
  /** The number of correct events, from the first. */
  readonly size: number;
  /** The root of these, 32 bytes. */
  readonly root: Uint8Array;
  readonly findings: readonly Finding[];
}

/**
 * Checks a store: every event, the tree over them, and the heads that it must have had according to
 * the store itself and to other sources.
 * @param advance Called after every chunk with the number of events done, and awaited.
 */
export async function verifyStore(
  evidence: Evidence,
  heads: readonly ExpectedHead[],
  advance: (done: number) => Promise<unknown>,
): Promise<Checked> {
  const { acknowledged, epochs } = evidence;
  const own = [...headsOfBreaks(epochs), ...(acknowledged === undefined ? [] : [acknowledged])];
  const known = [...heads, ...own];
  return (await inTwoThreads(evidence, known, advance)) ?? (await inOne(evidence, known, advance));
}

/**
 * Checks the events in this thread while another builds their tree. Resolves with `undefined` if
 * there is a flaw, which the check in one thread then locates.
 */
async function inTwoThreads(
  evidence: Evidence,
  heads: readonly ExpectedHead[],
  advance: (done: number) => Promise<unknown>,
): Promise<Checked | undefined> {
  if (evidence.treeAside === undefined || evidence.flaws.length > 0) return undefined;
  const made = evidence.treeAside(heads.map(({ size }) => size));
  const rules = new EventRules(evidence.decode);
  const keepsRules = (row: StoredRow) => rules.problemOf(row) === undefined;
  // The check in one thread meets the same error, and reports it.
  const isRight = await takeAll(evidence, keepsRules, () => advance(rules.due - 1)).catch(
    () => false,
  );
  const size = rules.due - 1;
  const tree = await made;
  if (tree?.fits !== true || !isRight || size !== evidence.last) return undefined;
  const agrees = ({ size, root }: ExpectedHead) => {
    const own = tree.roots.get(size);
    return own !== undefined && (root === undefined || Buffer.compare(own, root) === 0);
  };
  return heads.every(agrees) ? { size, root: tree.root, findings: [] } : undefined;
}

/** Passes events to `take` until it refuses one. Returns true if it takes all. */
async function takeAll(
  { events }: Evidence,
  take: (row: StoredRow) => boolean,
  taken: () => Promise<unknown>,
): Promise<boolean> {
  for await (const rows of events()) {
    if (!rows.every(take)) return false;
    await taken();
  }
  return true;
}

async function inOne(
  evidence: Evidence,
  heads: readonly ExpectedHead[],
  advance: (done: number) => Promise<unknown>,
): Promise<Checked> {
  const { decode, tree: stored, flaws } = evidence;
  const tree = stored === undefined ? plainTree() : new StoredTreeCheck(stored);
  const check = new TrailCheck(decode, tree, heads);
  try {
    const isRight = await takeAll(
      evidence,
      (row) => check.add(row),
      () => advance(check.size),
    );
    if (isRight) check.end();
  } catch (error) {
    if (!(error instanceof DamagedEvidence)) throw error;
    check.fail(`it cannot be read: ${error.message}`);
  }
  return {
    size: check.size,
    root: tree.root(),
    findings: [...check.findings(), ...flaws.map((problem) => ({ problem }))],
  };
}
