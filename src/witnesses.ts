/** The witnesses of the configured log: their policy, and the record of what they have cosigned. */

import { UserError } from './app/lifecycle/user-error.ts';
import type { CosignedRecords } from './app/ports/witnesses.ts';
import { CosignedCheckpoints } from './app/witnessing/cosigned-checkpoints.ts';
import type { Witness } from './app/witnessing/witness-progress.ts';
import { CosignedFile, cosignedFileOf, readLogPolicy } from './infra/process/witness-files.ts';
import type { Config } from './infra/settings/config.ts';

/** The parts from which the submission of checkpoints is made. */
export interface LogWitnesses {
  readonly witnesses: readonly Witness[];
  readonly cosigned: CosignedCheckpoints;
  readonly records: CosignedRecords;
  readonly intervalMs: number;
  /** The public keys of the logs that the policy is for; none: it names none. */
  readonly logs: readonly string[];
}

/**
 * Returns the witnesses that the configuration names; `undefined` if it names none. Throws
 * {@link UserError} if the policy is not usable, or no key signs what they would cosign.
 * @param databaseFile The store's file; absent if it is in no file.
 */
export function witnessesOf(
  { witnessing, signingKeyFile }: Pick<Config, 'witnessing' | 'signingKeyFile'>,
  databaseFile: string | undefined,
  storeId: string,
): LogWitnesses | undefined {
  if (witnessing === undefined) return undefined;
  if ((signingKeyFile ?? databaseFile) === undefined) {
    throw new UserError(
      'WITNESS_POLICY needs a key that signs checkpoints, and there is none: set SIGNING_KEY_FILE.',
    );
  }
  const { policyFile, intervalMs } = witnessing;
  const policy = readLogPolicy(policyFile);
  const records = new CosignedFile(cosignedFileOf(databaseFile, storeId));
  const { witnesses } = policy;
  const logs = policy.logs.map(({ vkey }) => vkey);
  return { witnesses, cosigned: new CosignedCheckpoints(policy), records, intervalMs, logs };
}

/**
 * Returns a warning if the policy is for other logs than the one with a public key: its witnesses may
 * not know this one. `undefined` if it names this one, or none.
 */
export function policyWarning(
  given: Pick<LogWitnesses, 'logs'> | undefined,
  verifierKey: string | undefined,
): string | undefined {
  const isOther = verifierKey !== undefined && given?.logs.includes(verifierKey) === false;
  if (!isOther || given.logs.length === 0) return undefined;
  return `the log lines of WITNESS_POLICY lack the public key of this log: ${verifierKey}`;
}
