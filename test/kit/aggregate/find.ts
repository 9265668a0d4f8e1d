import fc, { type Arbitrary } from 'fast-check';
import { copyOf } from './text.ts';
import { brokenBy } from './violation.ts';

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
   * running then has as long again to end, and at least 2 s: that it never ends is a failure.
   */
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
    /** The seed and the path, or the number of the given program, in words. */
    readonly origin: string;
  };
}

const MIN_GRACE_MS = 2_000;

/** What a user may have set for all properties of fast-check, and would end a search early. */
export const NO_LIMITS: object = {
  ...{ path: '', examples: [], endOnFailure: false, maxSkipsPerRun: 100, unbiased: false },
  ...{ skipEqualValues: false, ignoreEqualValues: false, markInterruptAsFailure: false },
  ...{ timeout: undefined, skipAllAfterTimeLimit: undefined, interruptAfterTimeLimit: undefined },
};

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
    runs = 100,
    seed = randomSeed(),
    path,
    timeLimitMs = Infinity,
    shrinkMs = Infinity,
  } = options;
  if (given?.length === 0) throw new RangeError('programs is empty: nothing would be checked');
  requireCounts({ runs });
  const shrinking = shrinkingFor(shrinkMs);
  const time = timeFor(timeLimitMs);
  const details = await fc.check(
    fc.asyncProperty(values, async (value) => {
      time.continues();
      shrinking.continues();
      try {
        // A copy, as the target may change it in place, and the value is shrunk and shown afterwards.
        await time.ends(attempt(copyOf(value)));
      } catch (error) {
        shrinking.begins();
        throw error;
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
  const broken = brokenBy(details.errorInstance);
  const foundPath = details.counterexamplePath ?? '';
  const origin =
    given === undefined
      ? `Seed ${seed}, path ${foundPath}.`
      : `Program ${Number.parseInt(foundPath, 10) + 1} of the ${given.length} given.`;
  const found = { value: counterexample[0], ...broken, path: foundPath, origin };
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
 * Bounds the time of a search. fast-check's own limit would cut off an attempt inside a step, and count it as
 * one that holds.
 */
function timeFor(limitMs: number) {
  const begun = performance.now();
  return {
    /** Throws what interrupts fast-check if the time is over. */
    continues(): void {
      if (performance.now() - begun >= limitMs) throw new fc.PreconditionFailure(true);
    },
    /** Waits for an attempt. Throws if it does not end long after the limit. */
    async ends(attempt: Promise<void>): Promise<void> {
      if (limitMs === Infinity) return attempt;
      const graceMs = Math.max(limitMs, MIN_GRACE_MS);
      const leftMs = begun + limitMs + graceMs - performance.now();
      const why = `a call has no answer ${graceMs} ms after the time limit of ${limitMs} ms`;
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(new Error(why)), leftMs);
      });
      await Promise.race([attempt, late]).finally(() => clearTimeout(timer));
    },
  };
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
