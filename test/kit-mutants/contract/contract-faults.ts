import { CANCELLATIONS, CONNECTIONS, RACES } from './cancellations.ts';
import type { Fault } from './faulty.ts';
import { FORMS } from './forms.ts';
import { IDS } from './ids.ts';
import { KEYS } from './keys.ts';
import { LISTS } from './lists.ts';

/** Servers that break the contract. `conformance` has to find out every one, with any seed. */
export const CONTRACT_FAULTS: readonly Fault[] = [
  ...KEYS,
  ...IDS,
  ...FORMS,
  ...LISTS,
  ...CANCELLATIONS,
  ...RACES,
  ...CONNECTIONS,
];
