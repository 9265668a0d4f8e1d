/** The heads that a log must have had according to the reader's own checkpoints. */
import { type ExpectedHead, type Finding, headUnder } from '../../app/audit/proofs/trail-check.ts';
import { verifyCheckpoint } from '../../app/audit/proofs/verifier.ts';

/** The name of such a checkpoint in findings. */
export const YOURS = 'your checkpoint';

/**
 * Returns the heads that checkpoints require of a log, or the reason why one is none.
 * @param origin The log's origin, with its epoch.
 */
export function expectedHeads(
  notes: readonly string[],
  key: string,
  origin: string,
): readonly ExpectedHead[] | Finding {
  const heads: ExpectedHead[] = [];
  for (const note of notes) {
    const head = headIn(note, key, origin);
    if ('problem' in head) return head;
    heads.push(head);
  }
  return heads;
}

function headIn(note: string, key: string, origin: string): ExpectedHead | Finding {
  const verdict = verifyCheckpoint(note, key);
  if (!verdict.ok) return { problem: `${YOURS}: ${verdict.reason}` };
  return headUnder(origin, `${YOURS} of ${verdict.value.size} events`, verdict.value);
}
