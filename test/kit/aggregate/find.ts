import fc, { type Arbitrary } from 'fast-check';
import { Progress } from './progress.ts';
import { copyOf } from './text.ts';
import { NoAnswer, orLate, shrinkingFor, timeFor } from './time-limit.ts';
import { brokenBy, readable } from './violation.ts';

/** The search for a counterexample: draws values, tries each, and shrinks the first that fails. */

export interface FindOptions {
  /** The number of values that are tried, unless they are given; default 100. */
  readonly runs?: number;
  /** The seed that determines the values; default random. */
  readonly seed?: number;
  /** With the seed, replays a counterexample that was found before, and tries nothing else. */
  readonly path?: string;
  /**
   * The time after which no more values are tried, in milliseconds; default none. The attempt that is
   * running then has as long again to end, and at least 2 s: that it never ends is a failure. Infinity is none.
   */
  readonly timeLimitMs?: number;
  /** The time for which a counterexample is shrunk, in milliseconds; default Infinity: as long as it takes. */
  readonly shrinkMs?: number;
}

export interface Found<Value> {
  readonly seed: number;
  /** True if the time was over before all values were tried. */
  readonly isInterrupted: boolean;
  readonly counterexample?: {
    readonly value: Value;
    readonly rule: string;
    readonly detail: string;
    /** The call of the user's code that threw, in words; absent if nothing was thrown. */
    readonly call?: string;
    /** What it threw. */
    readonly cause?: unknown;
    /** The number of steps of the value that were begun. */
    readonly begun: number;
    /** fast-check's path to the counterexample, which replays it together with the seed. */
    readonly path: string;
    /** The seed and the path, or the number of the given program, in words; if shrinking was cut off, and if it holds when run again. */
    readonly origin: string;
  };
}

/** What a user may have set for all properties of fast-check, and would end a search early. */
export const NO_LIMITS: object = {
  ...{ path: '', examples: [], endOnFailure: false, maxSkipsPerRun: 100, unbiased: false },
  ...{ skipEqualValues: false, ignoreEqualValues: false, markInterruptAsFailure: false },
  ...{ timeout: undefined, skipAllAfterTimeLimit: undefined, interruptAfterTimeLimit: undefined },
  // Another generator would draw other values from the same seed.
  randomType: 'xorshift128plus',
};

/** Tries a value: throws if it violates a rule. Notes its steps and calls. */
export type Attempt<Value> = (value: Value, progress: Progress) => Promise<void>;

/**
 * Tries values until one violates a rule, and shrinks that one.
 * @param options With `given`, these values are tried instead of drawn ones.
 */
export async function find<Value>(
  values: Arbitrary<Value>,
  attempt: Attempt<Value>,
  options: FindOptions & { readonly given?: readonly Value[] },
): Promise<Found<Value>> {
  const {
    given,
    runs = 100,
    seed = randomSeed(),
    path,
    timeLimitMs,
    shrinkMs = Infinity,
  } = options;
  if (given?.length === 0) throw new RangeError('programs is empty: nothing would be checked');
  if (path !== undefined && options.seed === undefined) {
    throw new RangeError('path needs the seed that it was found with');
  }
  const shrinking = shrinkingFor(shrinkMs);
  const time = timeFor(timeLimitMs);
  let failed = new Progress();
  const details = await fc.check(
    fc.asyncProperty(values, async (value) => {
      time.continues();
      shrinking.continues();
      const progress = new Progress();
      try {
        // A copy, as the target may change it in place, and the value is shrunk and shown afterwards.
        await time.ends(attempt(copyOf(value), progress), () => progress.call);
      } catch (error) {
        // The last failure is that of the smallest value.
        failed = progress;
        shrinking.begins();
        throw readable(error);
      }
    }),
    {
      ...NO_LIMITS,
      ...{ seed, numRuns: path === undefined ? (given?.length ?? runs) : 1 },
      ...(given !== undefined && { examples: given.map((value): [Value] => [value]) }),
      ...(path !== undefined && { path }),
    },
  );
  const { counterexample, interrupted: isInterrupted } = details;
  if (counterexample === null) return { seed, isInterrupted };
  const { errorInstance: error } = details;
  const { rule, detail } = brokenBy(error);
  const foundPath = details.counterexamplePath ?? '';
  const source =
    given === undefined
      ? `Seed ${seed}, path ${foundPath}`
      : `Program ${Number.parseInt(foundPath, 10) + 1} of the ${given.length} given`;
  const origin = `${[source, shrinking.cut() ?? []].flat().join('; ')}.`;
  const [value] = counterexample;
  const holds = !(error instanceof NoAnswer) && (await holdsAgain(attempt, value));
  const found = {
    ...{ value, rule, detail, ...thrownBy(error, failed), begun: failed.steps, path: foundPath },
    origin: holds ? `${origin} ${HOLDS_AGAIN}` : origin,
  };
  return { seed, isInterrupted, counterexample: found };
}

const HOLDS_AGAIN = 'Run again, it holds: it depends on earlier runs or on chance.';
/** The most times that a counterexample is run again, and the time for all of them. */
const AGAIN_RUNS = 3;
const AGAIN_MS = 2_000;

/** Runs a counterexample a few times more. Returns true if it holds once. */
async function holdsAgain<Value>(attempt: Attempt<Value>, value: Value): Promise<boolean> {
  const end = performance.now() + AGAIN_MS;
  for (let run = 0; run < AGAIN_RUNS; run += 1) {
    try {
      const again = attempt(copyOf(value), new Progress());
      await orLate(again, end - performance.now(), () => new NoAnswer());
      return true;
    } catch (error) {
      if (readable(error) instanceof NoAnswer) return false;
    }
  }
  return false;
}

/** Returns what the user's code threw, and in which call. */
function thrownBy(error: unknown, { call }: Progress) {
  if (error instanceof NoAnswer) return {};
  const broken = brokenBy(error);
  if (!('cause' in broken)) return {};
  return { cause: broken.cause, ...(call !== undefined && { call }) };
}

/** Returns a seed for values that nobody has seen yet. */
export function randomSeed(): number {
  return Date.now() & 0x7fffffff;
}
