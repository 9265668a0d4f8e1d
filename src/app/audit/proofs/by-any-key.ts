/** Verification with several keys of a log, of which one has signed: after a new signing key, the old one or the new. */

import type { Verdict } from './verifier.ts';

/** The reason of `verifier.ts` for a note with a signature in the name of a key that is not valid. */
const FALSE_SIGNATURE = 'the signature is not that of the public key on this text';

/**
 * Returns the first verdict that is ok with one of some keys, or the reasons why none is. A signature in the name
 * of any of the keys that is not valid refuses the whole, as it does with that key alone.
 */
export function byAnyKey<Value>(
  keys: readonly string[],
  verify: (key: string) => Verdict<Value>,
): Verdict<Value> {
  const verdicts = keys.map(verify);
  const reasons = verdicts.flatMap((verdict) => (verdict.ok ? [] : [verdict.reason]));
  const held = verdicts.find(({ ok }) => ok);
  if (held !== undefined && !reasons.includes(FALSE_SIGNATURE)) return held;
  const all = held === undefined ? reasons : [FALSE_SIGNATURE];
  return { ok: false, reason: [...new Set(all)].join('; ') };
}
