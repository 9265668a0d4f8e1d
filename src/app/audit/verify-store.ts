import { DamagedEvidence, type Evidence } from '../ports/evidence.ts';
import { headsOfBreaks } from './epoch-heads.ts';
import { EventRules } from './event-rules.ts';
import { KeptTreeCheck } from './kept-tree.ts';
import { type ExpectedHead, type Finding, PlainTree, TrailCheck } from './trail-check.ts';

/** What a check has come to. */
export interface Checked {
  /** The events that were found to be right, from the first on. */
  readonly size: number;
  /** The root of these, 32 bytes. */
  readonly root: Uint8Array;
  readonly findings: readonly Finding[];
}

/**
 * Checks a store from the outside in: every event, the tree over them, what the store has noted
 * elsewhere, and what others know of it.
 * @param advance Is told, after every chunk, how many events are done. Nothing goes on until what it
 * returns has settled.
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
 * Checks the events here while another thread makes their tree. `undefined` unless everything is as
 * it must be: then the way in one thread says what is not, and where.
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

/** How many events obey the rules, from the first on; `undefined` where not all can be read. */
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
    // Whatever it is, the way in one thread comes upon it as well, and says so.
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
