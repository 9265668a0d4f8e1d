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
 * A metric. Its values are read at each scrape only, so that unread metrics cost nothing but their
 * counting. `read` must not reject: a value that cannot be read is left out.
 */
export type Metric =
  | (Named & { readonly kind: 'counter' | 'gauge'; readonly read: () => Samples<number> })
  | (Named & { readonly kind: 'histogram'; readonly read: () => Samples<HistogramReading> });

/** Returns a sample for each entry, with its key as the value of a label. */
export function byLabel<Value>(
  label: string,
  entries: Iterable<readonly [key: string, value: Value]>,
): readonly Sample<Value>[] {
  return Array.from(entries, ([key, value]) => ({ labels: { [label]: key }, value }));
}

/** Returns the sample of a metric without labels; none for an undefined value. */
export function only<Value>(value: Value | undefined): readonly Sample<Value>[] {
  return value === undefined ? [] : [{ labels: {}, value }];
}
