import { DamagedEvidence, type Evidence } from '../ports/evidence.ts';
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
  const { decode, tree: kept, acknowledged, flaws } = evidence;
  const tree = kept === undefined ? new PlainTree() : new KeptTreeCheck(kept);
  const known = acknowledged === undefined ? heads : [...heads, acknowledged];
  const check = new TrailCheck(decode, tree, known);
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
    for (const rows of evidence.events()) {
      if (!rows.every((row) => check.add(row))) return;
      await advance(check.size);
    }
    check.end();
  } catch (error) {
    if (!(error instanceof DamagedEvidence)) throw error;
    check.fail(`it cannot be read: ${error.message}`);
  }
}
