/** The submission of a checkpoint to one witness, with a proof from the size that it has seen. */

import type { Prover, SignedCheckpoint } from '../audit/proving/prover.ts';
import { witnessRequestText } from '../audit/witness/witness-request.ts';
import type { AskWitness } from '../ports/witnesses.ts';
import { signedTextOf } from './cosigned-checkpoints.ts';
import { outcomeOf, type WitnessOutcome } from './outcome.ts';
import type { Witness } from './witness-progress.ts';

/** The parts that a submission needs. */
interface SubmissionParts {
  readonly prover: Pick<Prover, 'checkpoint' | 'consistency'>;
  readonly ask: AskWitness;
}

/**
 * Submits a checkpoint. If the witness has seen another size than assumed, submits it once more, with a
 * proof from that size: another instance of the service has been faster, or a record was lost.
 * @param seen The size that the witness is assumed to have cosigned last.
 * @returns A conflict only if the witness has moved on since, to a size that the log has.
 */
export async function submit(
  checkpoint: SignedCheckpoint,
  { key, url }: Witness,
  seen: number,
  { prover, ask }: SubmissionParts,
  stop: AbortSignal,
): Promise<WitnessOutcome> {
  const attempt = async (oldSize: number) => {
    // The empty tree is consistent with any other.
    const proof = oldSize === 0 ? [] : await prover.consistency(oldSize, checkpoint.size);
    const body = witnessRequestText({ oldSize, proof, note: checkpoint.note });
    const answer = await ask(`${url.replace(/\/+$/, '')}/add-checkpoint`, body, stop);
    const text = signedTextOf(checkpoint);
    return outcomeOf(answer, { text, size: checkpoint.size, oldSize }, key);
  };
  // A size beyond the checkpoint may be out of date. Size 0 lets the witness state its own.
  const first = await attempt(seen <= checkpoint.size ? seen : 0);
  if (first.kind !== 'conflict') return first;
  const last = first.size <= checkpoint.size ? await attempt(first.size) : first;
  if (last.kind !== 'conflict') return last;
  if (last.size < first.size) {
    const reason = `status 409: it has cosigned ${first.size} events, and then only ${last.size}`;
    return { kind: 'invalid', reason };
  }
  const { size } = await prover.checkpoint();
  if (last.size <= size) return last;
  const reason = `it has cosigned ${last.size} events, and the log has ${size}: events are lost, or another log signs with this key`;
  return { kind: 'inconsistent', reason };
}
