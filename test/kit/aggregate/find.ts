import fc, { type Arbitrary } from 'fast-check';
import { copyOf } from './text.ts';
import { brokenBy } from './violation.ts';

/** The search for a counterexample: draws values, tries each, and shrinks the first that fails. */

export interface FindOptions {
  /** The number of values that are tried; default 100. */
  readonly runs?: number;
  /** The seed that determines the values; default random. */
  readonly seed?: number;
  /** With the seed, replays a counterexample that was found before. */
  readonly path?: string;
  /** The time after which no more values are tried, in milliseconds; default none. */
  readonly timeLimitMs?: number;
  /** The time for which a counterexample is shrunk, in milliseconds; default as long as it takes. */
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
    /** fast-check's path to the counterexample, which replays it together with the seed. */
    readonly path: string;
  };
}

/**
 * @param attempt Throws if a value violates a rule.
 * @param options With `given`, these values are tried instead of drawn ones.
 */
export async function find<Value>(
  values: Arbitrary<Value>,
  attempt: (value: Value) => Promise<void>,
  options: FindOptions & { readonly given?: readonly Value[] },
): Promise<Found<Value>> {
  const {
    given,
    runs = given?.length ?? 100,
    seed = randomSeed(),
    path,
    timeLimitMs,
    shrinkMs = Infinity,
  } = options;
  if (given?.length === 0) throw new RangeError('programs is empty: nothing would be checked');
  requireCounts({ runs });
  const shrinking = shrinkingFor(shrinkMs);
  const details = await fc.check(
    fc.asyncProperty(values, async (value) => {
      shrinking.continues();
      try {
        // A copy, as the target may change it in place, and the value is shrunk and shown afterwards.
        await attempt(copyOf(value));
      } catch (error) {
        shrinking.begins();
        throw error;
      }
    }),
    {
      ...{ seed, numRuns: runs },
      ...(given !== undefined && { examples: given.map((value): [Value] => [value]) }),
      ...(path !== undefined && { path }),
      ...(timeLimitMs !== undefined && { interruptAfterTimeLimit: timeLimitMs }),
    },
  );
  const { counterexample, interrupted: isInterrupted } = details;
  if (counterexample === null) return { seed, isInterrupted };
  const broken = brokenBy(details.errorInstance);
  const found = { value: counterexample[0], ...broken, path: details.counterexamplePath ?? '' };
  return { seed, isInterrupted, counterexample: found };
}

/** Throws a RangeError unless numbers are whole, and at least 1: with 0, nothing would be checked. */
export function requireCounts(counts: Readonly<Record<string, number>>): void {
  for (const [name, count] of Object.entries(counts)) {
    if (Number.isSafeInteger(count) && count >= 1) continue;
    throw new RangeError(`${name} must be a whole number from 1, and is ${count}`);
  }
}

/** Returns a seed for values that nobody has seen yet. */
export function randomSeed(): number {
  return Date.now() & 0x7fffffff;
}

/**
 * Bounds the time of shrinking: once it is over, fast-check rejects every further candidate without
 * a run, and so ends with the smallest one that it has found.
 */
export function shrinkingFor(limitMs: number) {
  let begun: number | undefined;
  return {
    /** Notes the first failure. */
    begins: () => {
      begun ??= performance.now();
    },
    /** Throws fast-check's precondition failure if the time is over. */
    continues: () => fc.pre(begun === undefined || performance.now() - begun < limitMs),
  };
}
