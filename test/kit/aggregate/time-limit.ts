import fc from 'fast-check';

/** Limits of the time that a search takes. */

/** The least time that a call has after the limit. */
const MIN_GRACE_MS = 2_000;

/** Thrown if a call has no answer long after the limit. */
export class NoAnswer extends Error {}

/**
 * Bounds the time of a search. fast-check's own limit would cut off an attempt inside a step, and count it as
 * one that holds.
 */
export function timeFor(limitMs: number) {
  const begun = performance.now();
  const isOver = () => performance.now() - begun >= limitMs;
  return {
    isOver,
    /** Throws what interrupts fast-check if the time is over. */
    continues(): void {
      if (isOver()) throw new fc.PreconditionFailure(true);
    },
    /**
     * Waits for an attempt. Throws {@link NoAnswer} if it does not end long after the limit.
     * @param place Returns the call that is under way, in words.
     */
    async ends<Result>(attempt: Promise<Result>, place: () => string | undefined): Promise<Result> {
      if (limitMs === Infinity) return attempt;
      const graceMs = Math.max(limitMs, MIN_GRACE_MS);
      const leftMs = begun + limitMs + graceMs - performance.now();
      const why = `a call has no answer ${graceMs} ms after the time limit of ${limitMs} ms`;
      const noAnswer = () => new NoAnswer([why, place() ?? []].flat().join(': '));
      return orLate(attempt, leftMs, noAnswer);
    },
  };
}

/** Waits for an attempt, and throws an error if it takes longer. */
export async function orLate<Result>(
  attempt: Promise<Result>,
  leftMs: number,
  error: () => Error,
): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(error()), leftMs);
  });
  return Promise.race([attempt, late]).finally(() => clearTimeout(timer));
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
