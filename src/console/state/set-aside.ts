/** The separation of what a key has signed from the rest, which then takes part in no other verdict. */
import { verifyBreak } from '../../app/audit/proofs/verifier.ts';
import type { Material } from './material.ts';
import { isVerified, type Step, type Verified, witnessedSteps } from './proof-steps.ts';

/** Material, or a part of it, that is of another log or forged. */
interface SetAside extends Verified {
  readonly material: Material;
}

interface Judged {
  readonly key: string;
  readonly own?: Material;
  readonly refused?: SetAside;
}

/** A signature takes milliseconds, and all material is sorted again with each that is added. */
const judged = new WeakMap<Material, Judged>();

/**
 * Separates checkpoints and statements of breaks by who signed them. Material that is judged by its
 * own verdict, or that nobody signs, stays with the key's own.
 */
export function sortedBy(
  key: string,
  given: readonly Material[],
): { readonly own: readonly Material[]; readonly others: readonly SetAside[] } {
  const all = given.map((material) => {
    const before = judged.get(material);
    const known = before?.key === key ? before : judge(material, key);
    judged.set(material, known);
    return known;
  });
  return {
    own: all.flatMap(({ own }) => own ?? []),
    others: all.flatMap(({ refused }) => refused ?? []),
  };
}

function judge(material: Material, key: string): Judged {
  if (material.kind === 'checkpoint') {
    const verified = witnessedSteps(material.text, key);
    return isVerified(verified)
      ? { key, own: material }
      : { key, refused: { material, ...verified } };
  }
  if (material.kind !== 'breaks') return { key, own: material };
  const steps = material.notes.map((note, at) => breakStep(note, at, key));
  const verified = { steps };
  if (isVerified(verified)) return { key, own: material };
  const notes = material.notes.filter((_, at) => steps[at]?.outcome === 'ok');
  const refused = { material, ...verified };
  return notes.length === 0 ? { key, refused } : { key, own: { ...material, notes }, refused };
}

function breakStep(note: string, at: number, key: string): Step {
  const verdict = verifyBreak(note, key);
  const what = `Statement ${at + 1} of the breaks is signed by this key`;
  return verdict.ok
    ? { outcome: 'ok', what: `${what}.` }
    : { outcome: 'failed', what, reason: verdict.reason };
}
