/** The heads that a log must have had, according to its breaks and to signed checkpoints. */

import { type Epochs, inWords } from '../../log/epochs.ts';
import { type ExpectedHead, type Finding, headUnder } from '../proofs/trail-check.ts';
import type { Checkpoint } from '../proofs/verifier.ts';

/**
 * Returns the heads that a log must have had at its cuts, according to the statements of its
 * breaks.
 */
export function headsOfBreaks({ breaks }: Epochs): readonly ExpectedHead[] {
  return breaks.map(({ epoch, position, root }) => ({
    name: `the statement of epoch ${epoch}`,
    size: position,
    root: Buffer.from(root, 'base64'),
  }));
}

/**
 * Returns the head that a signed checkpoint requires of a log. A checkpoint beyond the end of its
 * own epoch may have another root than the present log: then the finding names the break.
 *
 * Returns a finding for a checkpoint of an epoch that the log does not have, and that no break
 * names as lost: a statement is missing, or the checkpoint is of another log. It is a finding even
 * if the roots are equal.
 *
 * @param logName The name of the log, if it is known: a checkpoint of another name is judged as `headUnder` does.
 */
export function headIn(
  epochs: Epochs,
  name: string,
  checkpoint: Checkpoint,
  logName?: string,
): ExpectedHead | Finding {
  const [nameOfOther] = checkpoint.origin.split('+', 1);
  if (logName !== undefined && nameOfOther !== logName) return headUnder(logName, name, checkpoint);
  const { epoch, size, root } = checkpoint;
  const head = { name, size, root };
  const end = epochs.endOf(epoch);
  if (end !== undefined) {
    if (size <= end.position) return head;
    const problem = `${name} was signed in epoch ${epoch}, and ${inWords(end)}`;
    return { ...head, cut: { from: end.position + 1, problem } };
  }
  if (epochs.has(epoch)) return head;
  const namedBy = epochs.breaks.findLast(({ known }) => known?.epoch === epoch);
  const last = namedBy ?? epochs.breaks.at(-1);
  const why = last === undefined ? '' : `: ${inWords(last)}`;
  const problem = `${name} was signed in epoch ${epoch}, which is none of this log${why}`;
  const cut = { from: Math.min((last?.position ?? 0) + 1, size), problem };
  return namedBy === undefined ? { ...cut, to: size } : { ...head, cut };
}
