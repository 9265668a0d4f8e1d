/** The signed state of the log as an answer, and the errors of what cannot be proven. */
import { hash } from 'node:crypto';
import type { Response } from 'express';
import { CannotProve, type Prover, type SignedCheckpoint } from '../../app/audit/proving/prover.ts';
import type { Epochs } from '../../app/log/epochs.ts';
import { ApiError } from '../api-error.ts';

/** The part of the prover that checkpoints are from. */
export type CheckpointSource = Pick<Prover, 'bestCheckpoint' | 'witnessed' | 'isWitnessed'>;

/**
 * Sends a checkpoint: of the present log, or the newest that a quorum of witnesses has cosigned. Throws
 * a 404 where there is no key to sign it with, or no such cosignatures.
 */
export async function sendCheckpoint(
  res: Response,
  {
    epochs,
    prover,
  }: {
    readonly epochs: Pick<Epochs, 'logName'>;
    readonly prover: CheckpointSource;
  },
  cacheControl: string,
  needsWitnesses = false,
): Promise<void> {
  const made = async () => (needsWitnesses ? prover.witnessed() : prover.bestCheckpoint());
  const checkpoint = await made().catch(refusedAs('not_found'));
  // Further cosignatures may join those of the same state.
  const version = prover.isWitnessed ? `-${hash('sha256', checkpoint.note).slice(0, 8)}` : '';
  res.setHeader('ETag', `"${epochs.logName}-checkpoint-${stateOf(checkpoint)}${version}"`);
  res.setHeader('Cache-Control', cacheControl);
  // Express answers 304 if the client has it already.
  res.type('text/plain').send(checkpoint.note);
}

/** Returns a text for a state. The beginning of its root distinguishes two logs that have diverged. */
function stateOf({ root, size }: SignedCheckpoint): string {
  return `${Buffer.from(root).toString('hex', 0, 4)}-${size}`;
}

/** Returns a handler that converts {@link CannotProve} to an error of the API. */
export function refusedAs(code: 'invalid_request' | 'not_found'): (error: Error) => never {
  return (error) => {
    throw error instanceof CannotProve ? new ApiError(code, `${error.message}.`) : error;
  };
}
