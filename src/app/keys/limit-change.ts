/** Changes to the limits of an API key. */

import type { KeyLimits, RateLimit } from '../ports/key-store.ts';

/** A change to the limits of a key. An absent member stays as it is; `none` takes it away. */
export interface LimitChange {
  readonly rate?: Pick<RateLimit, 'requests' | 'seconds'> | 'none';
  /**
   * `none`, and a new rate alone, bring the default: as many requests as the rate has in a window.
   */
  readonly burst?: number | 'none';
  readonly concurrent?: number | 'none';
  readonly streams?: number | 'none';
}

/** Returns limits with a change; `undefined` for a burst without a rate. */
export function changedLimits(limits: KeyLimits, change: LimitChange): KeyLimits | undefined {
  const { rate: before, ...others } = limits;
  const { rate = before ?? 'none', burst, ...rest } = change;
  if (rate === 'none' && typeof burst === 'number') return undefined;
  const unchanged = change.rate === undefined && burst === undefined ? before?.burst : undefined;
  const changed = {
    ...(rate === 'none'
      ? {}
      : { rate: { ...rate, burst: burstOf(rate.requests, burst, unchanged) } }),
    ...others,
    ...rest,
  };
  return Object.fromEntries(Object.entries(changed).filter(([, value]) => value !== 'none'));
}

function burstOf(requests: number, asked: LimitChange['burst'], otherwise = requests): number {
  return typeof asked === 'number' ? asked : otherwise;
}
