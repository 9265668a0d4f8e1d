/** The signing keys of a store that is verified: the one in the file, and those in the record of the store. */

import type { Finding } from '../../app/audit/proofs/trail-check.ts';
import { InvalidSigningKey } from '../../app/audit/proving/signing-key.ts';
import { UserError } from '../../app/lifecycle/user-error.ts';
import type { Evidence } from '../../app/ports/evidence.ts';
import type { CommandLine, Output } from './command-line.ts';

type Recorded = Pick<Evidence, 'signedWith'>;

/** Returns the name of the log according to the store; `undefined` if none is recorded there. */
export function logNameIn(store: Recorded): string | undefined {
  return signsWithIn(store)?.split('+', 1)[0];
}

/** Finds that the file of the signing key has another key than the one that signs for the store. */
export async function otherKey(
  store: Recorded,
  composition: CommandLine['composition'],
): Promise<readonly Finding[]> {
  // Without a file, or the right to read it, an auditor can still check everything else.
  const there = await composition.verifierKey().catch((error: Error) => error);
  if (there instanceof Error) {
    return there.cause instanceof InvalidSigningKey ? [{ problem: there.message }] : [];
  }
  const signsWith = signsWithIn(store);
  if (!signsWith || there === undefined || there === signsWith) return [];
  return [{ problem: 'the signing key is another than the one that signs according to the store' }];
}

/**
 * Returns the store's own keys, for an auditor who has given none, with a warning: the one in the file, and
 * those that have signed before.
 */
export function ownKeys(
  key: string | undefined,
  { signedWith = [] }: Recorded,
  stderr: Output,
): readonly string[] {
  if (key === undefined) {
    throw new UserError('The store has no key: name the public key of the log with --key.');
  }
  stderr.write(`Without --key, the store's own key is used: ${key}\n`);
  // The first key of an old store is unknown; and a store may return to a key.
  const others = new Set(signedWith.map(({ verifierKey }) => verifierKey)).difference(
    new Set(['', key]),
  );
  for (const other of others) stderr.write(`So is one that has signed before: ${other}\n`);
  return [key, ...others];
}

function signsWithIn({ signedWith }: Recorded): string | undefined {
  return signedWith?.at(-1)?.verifierKey;
}
