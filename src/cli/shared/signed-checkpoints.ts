/** The files of checkpoints that `verify` is given. */

import { byAnyKey } from '../../app/audit/proofs/by-any-key.ts';
import type { Finding } from '../../app/audit/proofs/trail-check.ts';
import { isFinding } from '../../app/audit/proofs/trail-file.ts';
import { type Checkpoint, verifyCheckpoint } from '../../app/audit/proofs/verifier.ts';
import type { WitnessPolicy } from '../../app/audit/proofs/witness-policy.ts';
import { requirePlainText } from '../../infra/process/small-file.ts';
import { checkWitnesses, type WitnessCheck } from './witness-check.ts';

type SignedHead = Checkpoint & {
  readonly name: string;
  readonly witnessed: WitnessCheck | undefined;
};

/**
 * Reads checkpoints that any of some keys has signed, and with a policy those that a quorum of its
 * witnesses has cosigned.
 */
export function readCheckpoints(
  files: readonly string[],
  keys: readonly string[],
  policy: WitnessPolicy | undefined,
) {
  const read = files.map((file) => readCheckpoint(file, keys, policy));
  const heads = read.filter((one): one is SignedHead => !isFinding(one));
  const checkpoints = heads.map(({ name, origin, size, witnessed }) => {
    return { file: name, origin, size, witnesses: witnessed?.witnesses };
  });
  const unwitnessed = heads.flatMap(({ witnessed }) => witnessed?.findings ?? []);
  return { heads, checkpoints, refused: [...read.filter(isFinding), ...unwitnessed] };
}

function readCheckpoint(
  file: string,
  keys: readonly string[],
  policy: WitnessPolicy | undefined,
): SignedHead | Finding {
  const note = requirePlainText(file);
  const signed = byAnyKey(keys, (key) => verifyCheckpoint(note, key));
  if (!signed.ok) return { problem: `${file}: ${signed.reason}` };
  return { name: file, ...signed.value, witnessed: checkWitnesses(file, note, policy) };
}
