/** The form of a metric: its name, its meaning, and the function that reads its values. */
import type { HistogramReading } from './histogram.ts';

/** A value, with the labels that distinguish it from the metric's other values. */
export interface Sample<Value> {
  /** By name. */
  readonly labels: Readonly<Record<string, string>>;
  readonly value: Value;
}

interface Named {
  /** By the conventions of OpenMetrics: with the unit at its end, without `_total`. */
  readonly name: string;
  /** One sentence on one line. */
  readonly help: string;
}

type Samples<Value> = Iterable<Sample<Value>> | Promise<Iterable<Sample<Value>>>;

/**
 * A metric. Its values are read when they are asked for, so that a metric which nobody reads costs
 * nothing but what is counted for it. `read` must not reject: a value that cannot be read is left out.
 */
export type Metric =
  | (Named & { readonly kind: 'counter' | 'gauge'; readonly read: () => Samples<number> })
  | (Named & { readonly kind: 'histogram'; readonly read: () => Samples<HistogramReading> });

/** Returns a sample for each entry of counted values, with its key under a label. */
export function byLabel<Value>(
  label: string,
  entries: Iterable<readonly [key: string, value: Value]>,
): readonly Sample<Value>[] {
  return Array.from(entries, ([key, value]) => ({ labels: { [label]: key }, value }));
}

/** Returns the only sample of a metric without labels; none for a value that is not there. */
export function only<Value>(value: Value | undefined): readonly Sample<Value>[] {
  return value === undefined ? [] : [{ labels: {}, value }];
}
