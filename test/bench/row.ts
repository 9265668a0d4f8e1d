/** A row of the results. */
export interface Row {
  readonly name: string;
  /** The measured value, with its unit. */
  readonly measured: string;
  /** The reference value, with its unit. */
  readonly reference: string;
  /** The value that the verdict is about: a ratio to the reference, or a number with its unit. */
  readonly value?: number;
  readonly unit?: '×' | ' µs' | ' ms' | ' MB' | '/s';
  readonly target?: Target;
  /** The main thread's CPU time per request in microseconds: measured / reference. */
  readonly cpu?: string;
  readonly verdict: Verdict;
  readonly note?: string;
  /** The samples of the rounds, for programs. */
  readonly samples?: Readonly<Record<string, readonly number[]>>;
}

/**
 * `aim` and `pass` meet a target, `miss` does not, `info` has none. `skipped` could not be measured
 * here. `failed` is a wrong response, a wrong log or a broken run, whose numbers are invalid.
 */
export type Verdict = 'aim' | 'pass' | 'miss' | 'info' | 'flat' | 'grows' | 'skipped' | 'failed';

/** The required value, and the aim. */
export interface Target {
  readonly better: 'more' | 'less';
  readonly required: number;
  readonly aim: number;
}

export function atLeast(required: number, aim: number): Target {
  return { better: 'more', required, aim };
}

export function atMost(required: number, aim: number): Target {
  return { better: 'less', required, aim };
}

export function judge(value: number, target: Target | undefined): Verdict {
  if (target === undefined) return 'info';
  const meets = (bar: number) => (target.better === 'more' ? value >= bar : value <= bar);
  if (meets(target.aim)) return 'aim';
  return meets(target.required) ? 'pass' : 'miss';
}

/** Thrown by a row that needs something which this machine or product lacks. */
export class Skip extends Error {
  override readonly name = 'Skip';
}

/** Returns the row for a scenario that yielded none. */
export function rowFor(name: string, error: unknown): Row {
  const note = error instanceof Error ? error.message : String(error);
  const verdict = error instanceof Skip ? 'skipped' : 'failed';
  return { name, measured: '', reference: '', verdict, note: note.split('\n', 1)[0] ?? '' };
}

export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** Returns the number below which a share of all is: of 0.99, the 99th percentile. */
export function percentile(numbers: readonly number[], share: number): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
}

/** Returns the median of the rounds' ratios, in which a slowdown of a whole round cancels out. */
export function medianRatio(measured: readonly number[], reference: readonly number[]): number {
  return median(measured.map((value, round) => value / (reference[round] ?? Number.NaN)));
}

/** Formats a number with three significant digits, or as an integer with separators. */
export function figure(value: number): string {
  if (!Number.isFinite(value)) return '–';
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toLocaleString('en-US', {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
}
