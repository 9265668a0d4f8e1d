/** One line of the results. */
export interface Row {
  readonly name: string;
  /** What was measured, with its unit. */
  readonly measured: string;
  /** What it is compared with, with its unit. */
  readonly reference: string;
  /** The number that is judged: a ratio to the reference, or a plain number with its unit. */
  readonly value?: number;
  readonly unit?: '×' | ' ms' | ' MB' | '/s';
  readonly target?: Target;
  /** The main thread's CPU time for a request, in microseconds: measured / reference. */
  readonly cpu?: string;
  readonly verdict: Verdict;
  readonly note?: string;
  /** What the rounds measured, for programs. */
  readonly samples?: Readonly<Record<string, readonly number[]>>;
}

/**
 * `aim` and `pass` meet a target, `miss` does not, `info` has none. `skipped` could not be
 * measured here. `failed` is a wrong answer, a wrong log or a broken run: no number counts then.
 */
export type Verdict = 'aim' | 'pass' | 'miss' | 'info' | 'flat' | 'grows' | 'skipped' | 'failed';

/** What has to be reached, and what is aimed at. */
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

/** A row that needs something that this machine, or this product, does not have. */
export class Skip extends Error {
  override readonly name = 'Skip';
}

/** The row that stands for a scenario that brought none. */
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

/** The median of the rounds' own ratios: what slows a whole round down cancels out. */
export function medianRatio(measured: readonly number[], reference: readonly number[]): number {
  return median(measured.map((value, round) => value / (reference[round] ?? Number.NaN)));
}

/** Three significant digits, or whole numbers with separators. */
export function figure(value: number): string {
  if (!Number.isFinite(value)) return '–';
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toLocaleString('en-US', {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
}
