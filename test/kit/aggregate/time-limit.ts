import fc from 'fast-check';
import { MAX_TIMER_MS } from '../numbers.ts';

/** Limits of the time that a search takes. */

/** The least time that a call has after the limit. */
const MIN_GRACE_MS = 2_000;

/** Thrown if a call has no answer long after the limit. */
export class NoAnswer extends Error {}

export interface TimeLimit {
  /** Returns true if the time is over. */
  isOver(): boolean;
  /** Throws what interrupts fast-check if the time is over. */
  continues(): void;
  /**
   * Waits for an attempt. Throws {@link NoAnswer} if it does not end long after the limit.
   * @param place Returns the call that is under way, in words.
   */
  ends<Result>(attempt: Promise<Result>, place: () => string | undefined): Promise<Result>;
}

/**
 * Bounds the time of a search. fast-check's own limit would cut off an attempt inside a step, and count it as
 * one that holds.
 */
export function timeFor(limitMs = Infinity, signal?: AbortSignal): TimeLimit {
  const begun = performance.now();
  const isOver = () => signal?.aborted === true || performance.now() - begun >= limitMs;
  const graceMs = limitMs === Infinity ? MIN_GRACE_MS : Math.max(limitMs, MIN_GRACE_MS);
  return {
    isOver,
    continues() {
      if (isOver()) throw new fc.PreconditionFailure(true);
    },
    async ends(attempt, place) {
      const noAnswer = (limit: string) => () => {
        const why = `a call has no answer ${graceMs} ms after ${limit}`;
        return new NoAnswer([why, place() ?? []].flat().join(': '));
      };
      const signalled = noAnswer('the signal');
      const guarded =
        signal === undefined ? attempt : orLateAfter(signal, attempt, graceMs, signalled);
      if (limitMs === Infinity) return guarded;
      const leftMs = begun + limitMs + graceMs - performance.now();
      return orLate(guarded, leftMs, noAnswer(`the time limit of ${limitMs} ms`));
    },
  };
}

/** Waits for an attempt, and throws an error if it takes longer after a signal. */
async function orLateAfter<Result>(
  signal: AbortSignal,
  attempt: Promise<Result>,
  graceMs: number,
  error: () => Error,
): Promise<Result> {
  let begin: (() => void) | undefined;
  const aborted = new Promise<void>((resolve) => {
    begin = () => resolve();
    if (signal.aborted) begin();
    else signal.addEventListener('abort', begin);
  });
  const first = await Promise.race([attempt.then((result) => ({ result })), aborted]).finally(() =>
    signal.removeEventListener('abort', begin as () => void),
  );
  return first === undefined ? orLate(attempt, graceMs, error) : first.result;
}

/**
 * Waits for an attempt, and throws an error if it takes longer. Without a limit beyond the longest time of a
 * timer, which is about 25 days.
 */
export async function orLate<Result>(
  attempt: Promise<Result>,
  leftMs: number,
  error: () => Error,
): Promise<Result> {
  if (leftMs > MAX_TIMER_MS) return attempt;
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
  let isCut = false;
  return {
    /** Notes the first failure. */
    begins: () => {
      begun ??= performance.now();
    },
    /** Throws fast-check's precondition failure if the time is over. */
    continues() {
      isCut = begun !== undefined && performance.now() - begun >= limitMs;
      fc.pre(!isCut);
    },
    /** Returns in words that a candidate was rejected for the time; undefined if none was. */
    cut: () => (isCut ? cutAfter(limitMs) : undefined),
  };
}

/** Returns in words that shrinking was cut off. */
export function cutAfter(limitMs: number): string {
  return `shrinking ended after ${limitMs / 1_000} s, so a plainer one may fail, too`;
}
