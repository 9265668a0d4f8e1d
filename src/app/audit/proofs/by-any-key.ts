import type { Verdict } from './verifier.ts';

/** Returns the first verdict that is ok with one of some keys, or the reasons why none is. */
export function byAnyKey<Value>(
  keys: readonly string[],
  verify: (key: string) => Verdict<Value>,
): Verdict<Value> {
  const verdicts = keys.map(verify);
  const reasons = verdicts.flatMap((verdict) => (verdict.ok ? [] : [verdict.reason]));
  const held = verdicts.find(({ ok }) => ok);
  return held ?? { ok: false, reason: [...new Set(reasons)].join('; ') };
}
