/** The check of checkpoints by a policy of witnesses, for the reports of `verify`. */

import type { Finding } from '../../app/audit/proofs/trail-check.ts';
import {
  requireQuorum,
  verifyWitnesses,
  type WitnessPolicy,
} from '../../app/audit/proofs/witness-policy.ts';
import { instantAt } from '../../domain/instant.ts';
import { timeWords } from './receipt-words.ts';

/** A witness that has cosigned a checkpoint. */
export interface CosignedBy {
  /** Its name within the policy, and that of its key. */
  readonly name: string;
  readonly key: string;
  /** The time of its newest cosignature. */
  readonly at: string;
}

/** The witnesses of a checkpoint, and why they do not suffice. */
export interface WitnessCheck {
  readonly witnesses: readonly CosignedBy[];
  readonly findings: readonly Finding[];
}

/** Checks a checkpoint in a file; without a policy, there is nothing to check. */
export function checkWitnesses(
  file: string,
  note: string,
  policy: WitnessPolicy | undefined,
): WitnessCheck | undefined {
  if (policy === undefined) return undefined;
  const verdict = verifyWitnesses(note, policy);
  if (!verdict.ok) return { witnesses: [], findings: [{ problem: `${file}: ${verdict.reason}` }] };
  const witnesses = verdict.value.witnesses.flatMap(({ name, key, atS }) =>
    atS === undefined ? [] : [{ name, key, at: instantAt(atS * 1_000) ?? '' }],
  );
  const quorum = requireQuorum(verdict.value);
  return { witnesses, findings: quorum.ok ? [] : [{ problem: `${file}: ${quorum.reason}` }] };
}

export function cosignedWords(file: string, { name, key, at }: CosignedBy): string {
  return `${file} is cosigned by ${name} (${key}), ${timeWords(at)}.`;
}
