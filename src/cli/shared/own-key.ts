/**
 * The check of a follower's key. Posts that the key of another log has signed would be refused by the
 * receivers of this log, and be taken for genuine by those of the other.
 */

import { verifyNote } from '../../app/audit/proofs/verifier.ts';
import type { NoteSigner } from '../../app/audit/proving/checkpoint.ts';
import { UserError } from '../../app/lifecycle/user-error.ts';
import { isFailure } from '../../client/callers.ts';
import type { CallOptions, StoreOrders } from '../../client/client.ts';
import type { Deliver } from './delivery.ts';

/**
 * Returns a delivery that first has the log sign a checkpoint, once. Throws {@link UserError} unless it does
 * so with the key that signs the posts.
 */
export function withOwnKey(
  deliver: Deliver,
  signer: NoteSigner | undefined,
  service: StoreOrders,
  patience: CallOptions,
): Deliver {
  if (signer === undefined) return deliver;
  let isChecked = false;
  return async (event) => {
    if (!isChecked) requireOwn(signer, await checkpointOf(service, patience));
    isChecked = true;
    return deliver(event);
  };
}

/** Returns a checkpoint of the log; `undefined` where the service has no key to sign one with. */
async function checkpointOf(
  service: StoreOrders,
  patience: CallOptions,
): Promise<string | undefined> {
  try {
    return await service.checkpoint(patience);
  } catch (error) {
    if (isFailure(error) && error.code === 'not_found') return undefined;
    throw error;
  }
}

function requireOwn({ verifierKey }: NoteSigner, checkpoint: string | undefined): void {
  if (checkpoint === undefined || verifyNote(checkpoint, verifierKey).ok) return;
  throw new UserError(
    `The log does not sign with the key of the posts, ${verifierKey}: nothing was posted. Name the key of ` +
      'the log with SIGNING_KEY_FILE or DATABASE_URL. After store-orders audit new-key, restart the service first.',
  );
}
