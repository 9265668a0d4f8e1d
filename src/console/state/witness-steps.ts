/** The statements of witnesses about a checkpoint, step by step and in words. */
import {
  parseWitnessPolicy,
  requireQuorum,
  verifyWitnesses,
} from '../../app/audit/proofs/witness-policy.ts';
import { instantAfter } from './clock.ts';
import { isolated } from './isolated.ts';
import type { Step } from './proof-steps.ts';
import { timeText } from './times.ts';

/** The beginning of Unix time. */
const EPOCH = '1970-01-01T00:00:00Z';

/**
 * Returns a step for each witness that has cosigned, and one for the quorum of each policy.
 * @param policies The texts of policies (C2SP tlog-policy), all of which have to be met.
 */
export function witnessSteps(note: string, policies: readonly string[]): readonly Step[] {
  const steps = policies.flatMap((policy, at) => {
    return stepsBy(note, policy, nameOf(at, policies));
  });
  // A witness may be in several policies.
  return [...new Map(steps.map((step) => [step.what, step])).values()];
}

/** Returns the steps of policies beside a checkpoint that is refused already. */
export function unwitnessedSteps(policies: readonly string[]): readonly Step[] {
  return policies.map((_, at) => {
    return { outcome: 'not checked', what: quorumWords(nameOf(at, policies)) };
  });
}

/** Returns a policy in words. */
function nameOf(at: number, { length }: readonly string[]): string {
  return length === 1 ? 'the policy' : `policy ${at + 1}`;
}

function quorumWords(name: string): string {
  return `A quorum of the witnesses of ${name} has cosigned the checkpoint.`;
}

/** @param name The policy, in words. */
function stepsBy(note: string, policy: string, name: string): readonly Step[] {
  const parsed = parseWitnessPolicy(policy);
  if (!parsed.ok) {
    const what = `The form of ${name} of witnesses is right`;
    return [{ outcome: 'failed', what, reason: parsed.reason }];
  }
  const verdict = verifyWitnesses(note, parsed.value);
  if (!verdict.ok) {
    const what = `The cosignatures of the witnesses of ${name} are valid`;
    return [{ outcome: 'failed', what, reason: verdict.reason }];
  }
  const { witnesses } = verdict.value;
  const cosigned = witnesses.flatMap(({ name, key, atS }): Step[] => {
    if (atS === undefined) return [];
    const time = `${timeText(instantAfter(EPOCH, atS * 1_000), 'utc')} UTC`;
    const what = `Witness ${isolated(name)} (${isolated(key)}) had seen this state of the log, and no other history of it, by ${time}.`;
    return [{ outcome: 'ok', what }];
  });
  const quorum = requireQuorum(verdict.value);
  const what = quorumWords(name);
  const last: Step = quorum.ok
    ? { outcome: 'ok', what }
    : { outcome: 'failed', what, reason: quorum.reason };
  return [...cosigned, last];
}
