import type { LoadGenerator } from './load.ts';
import type { Advance } from './rounds.ts';
import type { Row } from './row.ts';
import type { Stores } from './stores.ts';

/** What every scenario works with. */
export interface Bench {
  readonly generator: LoadGenerator;
  readonly stores: Stores;
  readonly rounds: number;
  /** How long one load lasts. */
  readonly seconds: number;
  /** The number of orders in the largest store; the others hold 10, 100 and 1,000 times fewer. */
  readonly orders: number;
  /** The folder in which Emmett is installed, if it is. */
  readonly emmett: string | undefined;
  /** A few rows only. */
  readonly quick: boolean;
}

/** A family of rows that is measured together, on the same servers. */
export interface Scenario {
  /** For `--only`. */
  readonly name: string;
  /** Whether `--quick` runs it. */
  readonly isQuick: boolean;
  /** How many steps it will report, or about. */
  steps(bench: Bench): number;
  run(bench: Bench, advance: Advance): Promise<readonly Row[]>;
}

/**
 * For how many seconds a server answers before it is measured: V8 compiles what it is asked for, and the
 * better the longer it has seen it. A service answers for weeks.
 */
export function warmUpOf({ seconds }: Pick<Bench, 'seconds'>): number {
  return 2 * seconds;
}

/** How an order count is written in a row's name: 1 k, 10 k, 1 M. */
export function countOf(orders: number): string {
  if (orders >= 1_000_000) return `${orders / 1_000_000} M`;
  return orders >= 1_000 ? `${orders / 1_000} k` : String(orders);
}
