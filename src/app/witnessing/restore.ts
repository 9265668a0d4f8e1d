/** The return of what was recorded of a log's witnesses, after a restart or for a command. */

import { verifyCheckpoint, verifyConsistency } from '../audit/proofs/verifier.ts';
import type { Prover, SignedCheckpoint } from '../audit/proving/prover.ts';
import type { CosignedRecord } from '../ports/witnesses.ts';
import { type CosignedCheckpoints, signedTextOf } from './cosigned-checkpoints.ts';

/**
 * Takes over the newest cosigned checkpoint of a record, if the log has signed it with its present key
 * and still begins with it. Everything in the record is checked, because anybody who can write the
 * file could have changed it.
 * @returns The sizes that the witnesses have seen; empty for a record of another log.
 */
export async function restoreCosigned(
  record: CosignedRecord | undefined,
  cosigned: CosignedCheckpoints,
  prover: Pick<Prover, 'checkpoint' | 'consistency' | 'verifierKey'>,
): Promise<CosignedRecord['sizes']> {
  const head = await prover.checkpoint();
  // A log that was cut continues under another name, which the witnesses see for the first time.
  if (record?.origin !== originOf(head)) return {};
  const { sizes, checkpoint: stored = '' } = record;
  const note = withoutCosignatures(stored);
  const verdict = verifyCheckpoint(note, prover.verifierKey);
  if (!verdict.ok || verdict.value.size > head.size) return sizes;
  const { size, root } = verdict.value;
  const isBeginning = verifyConsistency(
    { size, root },
    head,
    await prover.consistency(size, head.size),
  );
  if (isBeginning.ok) cosigned.restore({ size, root, note }, stored);
  return sizes;
}

/** Returns the origin of a checkpoint: its first line. */
export function originOf(checkpoint: SignedCheckpoint): string {
  const text = signedTextOf(checkpoint);
  return text.slice(0, text.indexOf('\n'));
}

/** Returns a note with its first signature alone, which is that of the log. */
function withoutCosignatures(note: string): string {
  const signatures = note.indexOf('\n\n') + 2;
  return note.slice(0, note.indexOf('\n', signatures) + 1);
}
