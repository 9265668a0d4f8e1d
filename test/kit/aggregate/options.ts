import { requireCounts, requireLimit, requireSeed, requireTime, wrong } from '../numbers.ts';
import type { ConcurrentOptions } from './concurrent.ts';
import type { FindOptions } from './find.ts';
import type { ProgramOptions } from './programs.ts';

/** The one reader of options: it refuses what would be ignored, or would check nothing. */

/** Throws a RangeError if the option of a name cannot have a value. */
type Check = (name: string, value: unknown) => void;

/** The checks of the options of a call, by their names. */
export type OptionChecks<Options> = Readonly<Record<keyof Options, Check>>;

/** Throws a RangeError unless an option is a whole number from 1. */
export function isCount(name: string, value: unknown): void {
  requireCounts({ [name]: value });
}

function isArray(name: string, value: unknown): void {
  if (!Array.isArray(value)) throw wrong(name, 'an array', value);
}

/** Throws a RangeError unless a path is one of fast-check: "3:0:1". An empty one would run one value. */
function isPath(name: string, value: unknown): void {
  if (typeof value === 'string' && /^\d+(?::\d+)*$/.test(value)) return;
  throw wrong(name, 'that of a counterexample, such as "3:0:1"', value);
}

function isSignal(name: string, value: unknown): void {
  const { aborted, addEventListener } = Object(value) as Partial<AbortSignal>;
  if (typeof aborted === 'boolean' && typeof addEventListener === 'function') return;
  throw wrong(name, 'an AbortSignal', value);
}

/** The options of every search for a counterexample. */
export const SEARCH_OPTIONS: OptionChecks<
  FindOptions & Pick<ConcurrentOptions, 'programs' | 'maxSteps' | 'does'>
> = {
  ...{ programs: isArray, maxSteps: isCount, does: isArray, runs: isCount, seed: requireSeed },
  ...{ path: isPath, timeLimitMs: requireTime, shrinkMs: requireTime },
};

/** The options of all calls of a kit, so that they can be shared by calls. */
const OPTIONS: OptionChecks<ConcurrentOptions & FindOptions & ProgramOptions> = {
  ...SEARCH_OPTIONS,
  ...{ maxAggregates: isCount, clients: isCount, rounds: isCount },
  ...{ maxCombinations: requireLimit, signal: isSignal },
};

/**
 * Throws a RangeError for an option that no call has, and for one whose value is none that it can have.
 * One that is undefined is absent.
 */
export function requireOptions(options: object, checks: OptionChecks<object> = OPTIONS): void {
  const known = checks as Readonly<Record<string, Check>>;
  for (const [name, value] of Object.entries(options)) {
    const check = Object.hasOwn(known, name) ? known[name] : undefined;
    if (check === undefined) {
      const names = Object.keys(known).join(', ');
      throw new RangeError(`there is no option ${name}: it is one of ${names}`);
    }
    if (value !== undefined) check(name, value);
  }
}
