/** The heads that a log must have had according to the reader's own checkpoints. */
import type { ExpectedHead, Finding } from '../../app/audit/trail-check.ts';
import { verifyCheckpoint } from '../../app/audit/verifier.ts';

/** The name of such a checkpoint in findings. */
export const YOURS = 'your checkpoint';

/**
 * Returns the heads that checkpoints require of a log, or the reason why one cannot be compared.
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
  const { size, root, epoch } = verdict.value;
  if (verdict.value.origin === origin) return { name: `${YOURS} of ${size} events`, size, root };
  const problem =
    `${YOURS} is of epoch ${epoch}, and this log is ${origin}: it was cut in between. Compare ` +
    'your checkpoint with a checkpoint of today, with the statements of its breaks';
  return { problem };
}
