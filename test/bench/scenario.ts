import type { LoadGenerator } from './load.ts';
import type { Advance } from './rounds.ts';
import type { Row } from './row.ts';
import type { Stores } from './stores.ts';

/** The context of every scenario. */
export interface Bench {
  readonly generator: LoadGenerator;
  readonly stores: Stores;
  readonly rounds: number;
  /** The duration of one load, in seconds. */
  readonly seconds: number;
  /** The number of orders in the largest store; the others hold 10, 100 and 1,000 times fewer. */
  readonly orders: number;
  /** The folder with an installed Emmett, if there is one. */
  readonly emmett: string | undefined;
  /** True to measure only a few rows. */
  readonly quick: boolean;
}

/** A family of rows that are measured together, on the same servers. */
export interface Scenario {
  /** The name for `--only`. */
  readonly name: string;
  /** True if `--quick` includes it. */
  readonly isQuick: boolean;
  /** Returns the approximate number of steps that it will report. */
  steps(bench: Bench): number;
  run(bench: Bench, advance: Advance): Promise<readonly Row[]>;
}

/**
 * The warm-up of a server before it is measured, in seconds: V8 optimizes code the more, the longer
 * it has run, and a service runs for weeks.
 */
export function warmUpOf({ seconds }: Pick<Bench, 'seconds'>): number {
  return 2 * seconds;
}

/** Formats a number of orders for a row's name: 1 k, 10 k, 1 M. */
export function countOf(orders: number): string {
  if (orders >= 1_000_000) return `${orders / 1_000_000} M`;
  return orders >= 1_000 ? `${orders / 1_000} k` : String(orders);
}
