/** The check of a whole store. */

import { DamagedEvidence, type Evidence } from '../ports/evidence.ts';
import { headsOfBreaks } from './epoch-heads.ts';
import { EventRules } from './event-rules.ts';
import { KeptTreeCheck } from './kept-tree.ts';
import { type ExpectedHead, type Finding, PlainTree, TrailCheck } from './trail-check.ts';

/** The result of a check. */
export interface Checked {
  /** The number of events, from the first, that were found right. */
  readonly size: number;
  /** The root of these, 32 bytes. */
  readonly root: Uint8Array;
  readonly findings: readonly Finding[];
}

/**
 * Checks a store: every event, the tree over them, and the heads that it must have had by the
 * store's own notes and by other accounts.
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
 * there is any flaw: the check in one thread then finds what it is, and where.
 */
async function inTwoThreads(
  evidence: Evidence,
  heads: readonly ExpectedHead[],
  advance: (done: number) => Promise<unknown>,
): Promise<Checked | undefined> {
  if (evidence.treeAside === undefined || evidence.flaws.length > 0) return undefined;
  const made = evidence.treeAside(heads.map(({ size }) => size));
  const size = await sizeByTheRules(evidence, advance);
  const tree = await made;
  if (tree?.fits !== true || size !== evidence.last) return undefined;
  const agrees = ({ size, root }: ExpectedHead) => {
    const own = tree.roots.get(size);
    return own !== undefined && (root === undefined || Buffer.compare(own, root) === 0);
  };
  return heads.every(agrees) ? { size, root: tree.root, findings: [] } : undefined;
}

/** Returns the number of events that keep the rules; `undefined` if not all can be read. */
async function sizeByTheRules(
  { decode, events }: Evidence,
  advance: (done: number) => Promise<unknown>,
): Promise<number | undefined> {
  const rules = new EventRules(decode);
  try {
    for await (const rows of events()) {
      if (!rows.every((row) => rules.problemOf(row) === undefined)) break;
      await advance(rules.due - 1);
    }
    return rules.due - 1;
  } catch {
    // The check in one thread meets the same error, and reports it.
  }
  return undefined;
}

async function inOne(
  evidence: Evidence,
  heads: readonly ExpectedHead[],
  advance: (done: number) => Promise<unknown>,
): Promise<Checked> {
  const { decode, tree: kept, flaws } = evidence;
  const tree = kept === undefined ? new PlainTree() : new KeptTreeCheck(kept);
  const check = new TrailCheck(decode, tree, heads);
  await checkAll(evidence, check, advance);
  return {
    size: check.size,
    root: tree.root(),
    findings: [...check.findings(), ...flaws.map((problem) => ({ problem }))],
  };
}

async function checkAll(
  evidence: Evidence,
  check: TrailCheck,
  advance: (done: number) => Promise<unknown>,
): Promise<void> {
  try {
    for await (const rows of evidence.events()) {
      if (!rows.every((row) => check.add(row))) return;
      await advance(check.size);
    }
    check.end();
  } catch (error) {
    if (!(error instanceof DamagedEvidence)) throw error;
    check.fail(`it cannot be read: ${error.message}`);
  }
}
