/** The files of witness policies (C2SP tlog-policy). */

import { parseWitnessPolicy, type WitnessPolicy } from '../../app/audit/proofs/witness-policy.ts';
import { UserError } from '../../app/lifecycle/user-error.ts';
import { requirePlainText } from '../../infra/process/small-file.ts';

/** Returns the policy in a file. Throws {@link UserError} if there is none. */
export function readPolicyFile(file: string): WitnessPolicy {
  const policy = parseWitnessPolicy(requirePlainText(file));
  if (policy.ok) return policy.value;
  throw new UserError(`${file}: ${policy.reason}.`);
}
