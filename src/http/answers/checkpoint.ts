/** The signed state of the log as an answer, and the errors of what cannot be proven. */
import type { Response } from 'express';
import { CannotProve, type Prover } from '../../app/audit/prover.ts';
import type { Epochs } from '../../app/log/epochs.ts';
import { ApiError } from '../api-error.ts';

/** Sends a checkpoint of the present log. Throws a 404 where there is no key to sign it with. */
export async function sendCheckpoint(
  res: Response,
  {
    epochs,
    prover,
  }: {
    readonly epochs: Pick<Epochs, 'logName'>;
    readonly prover: Pick<Prover, 'checkpoint'>;
  },
  cacheControl: string,
): Promise<void> {
  const { size, root, note } = await prover.checkpoint().catch(refusedAs('not_found'));
  res.setHeader('ETag', `"${epochs.logName}-checkpoint-${rootText(root)}-${size}"`);
  res.setHeader('Cache-Control', cacheControl);
  // Express answers 304 if the client has it already.
  res.type('text/plain').send(note);
}

/** Returns the beginning of a root, which distinguishes two logs that have diverged. */
function rootText(root: Uint8Array): string {
  return Buffer.from(root).toString('hex', 0, 4);
}

/** Returns a handler that converts {@link CannotProve} to an error of the API. */
export function refusedAs(code: 'invalid_request' | 'not_found'): (error: Error) => never {
  return (error) => {
    throw error instanceof CannotProve ? new ApiError(code, `${error.message}.`) : error;
  };
}
