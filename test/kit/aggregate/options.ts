import type { ConcurrentOptions } from './concurrent.ts';
import type { FindOptions } from './find.ts';
import type { ProgramOptions } from './programs.ts';

/** The names of all options: one that is written wrong would be ignored. */
const NAMES: Readonly<Record<keyof (ConcurrentOptions & FindOptions & ProgramOptions), true>> = {
  ...{ programs: true, maxSteps: true, maxAggregates: true, does: true, runs: true, seed: true },
  ...{ path: true, timeLimitMs: true, shrinkMs: true, clients: true, rounds: true },
  ...{ maxCombinations: true, signal: true },
};

/** Throws a RangeError for an option that no call has, so that options can be shared by calls. */
export function requireOptions(options: object): void {
  for (const name of Object.keys(options)) {
    if (Object.hasOwn(NAMES, name)) continue;
    throw new RangeError(
      `there is no option ${name}: it is one of ${Object.keys(NAMES).join(', ')}`,
    );
  }
}
