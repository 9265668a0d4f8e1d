/**
 * The text of metrics, in the formats of OpenMetrics and of Prometheus, with those of the process.
 */
import {
  collectDefaultMetrics,
  type OpenMetricsContentType,
  type Metric as PromMetric,
  Registry,
} from 'prom-client';
import type { HistogramReading } from '../../app/histogram.ts';
import type { Metric, Sample } from '../../app/metric.ts';

type Format = 'OpenMetrics' | 'Prometheus';

/** Metrics as they are sent. */
export interface MetricsText {
  readonly contentType: string;
  readonly text: string;
}

/** Gauges of the library whose names promtool rejects, because they end like those of counters. */
const ILL_NAMED = /^nodejs_active_\w+_total$/;

/**
 * Prints metrics. Those of the process (processor time, memory, the event loop's delay, garbage
 * collections, file descriptors) are counted and printed by prom-client. It takes 1.3 µs for an
 * observation in a histogram and 1.7 µs for a line of it, so ours are printed here: see
 * docs/adr/0030.
 */
export class MetricsPrinter {
  readonly #metrics: readonly Metric[];
  readonly #prometheus: Registry = new Registry();
  readonly #openMetrics = new Registry<OpenMetricsContentType>();

  constructor(metrics: readonly Metric[]) {
    this.#metrics = metrics;
    this.#openMetrics.setContentType(Registry.OPENMETRICS_CONTENT_TYPE);
    collectDefaultMetrics({ register: this.#prometheus });
    for (const metric of this.#prometheus.getMetricsAsArray()) {
      const { name } = metric as unknown as { name: string };
      if (ILL_NAMED.test(name)) this.#prometheus.removeSingleMetric(name);
      // A registry that prints OpenMetrics renames its counters, so it has others.
      else this.#openMetrics.registerMetric(renamed(metric, name));
    }
  }

  /** Returns all metrics in one of the two formats. */
  async print(format: Format): Promise<MetricsText> {
    const registry = format === 'OpenMetrics' ? this.#openMetrics : this.#prometheus;
    const own = await Promise.all(this.#metrics.map((metric) => metricText(metric, format)));
    // That of the process is the last: it ends with the end of the whole text.
    const text = `${own.join('')}${await registry.metrics()}`;
    return { contentType: registry.contentType, text };
  }
}

/**
 * Returns a metric of the library under its name in OpenMetrics: a counter's is without `_total`.
 */
function renamed(metric: object, name: string): PromMetric {
  const get = async () => {
    const read = await (metric as { get(): Promise<{ name: string; type: string }> }).get();
    return {
      ...read,
      name: read.type === 'counter' ? read.name.replace(/_total$/, '') : read.name,
    };
  };
  return { name, get } as unknown as PromMetric;
}

/** Returns the text of a metric: its meaning, its kind, and a line for each value. */
async function metricText(metric: Metric, format: Format): Promise<string> {
  const { name, help, kind } = metric;
  const family = kind === 'counter' && format === 'Prometheus' ? `${name}_total` : name;
  const lines =
    kind === 'histogram'
      ? Array.from(await metric.read(), (sample) => histogramText(name, sample))
      : Array.from(await metric.read(), ({ labels, value }) => {
          return `${kind === 'counter' ? `${name}_total` : name}${braced(labelText(labels))} ${value}\n`;
        });
  return `# HELP ${family} ${help}\n# TYPE ${family} ${kind}\n${lines.join('')}`;
}

function histogramText(name: string, { labels, value }: Sample<HistogramReading>): string {
  const { bounds, cumulative, sum } = value;
  const all = labelText(labels);
  const bucket = `${name}_bucket{${all === '' ? '' : `${all},`}le="`;
  const lines = endsOf(bounds).map((end, index) => bucket + end + cumulative[index]);
  const rest = braced(all);
  lines.push(`${name}_sum${rest} ${sum}`, `${name}_count${rest} ${cumulative.at(-1)}\n`);
  return lines.join('\n');
}

/**
 * The ends of the labels of buckets, by their bounds: to print a fraction takes longer than a line.
 */
const ENDS = new WeakMap<HistogramReading['bounds'], readonly string[]>();

function endsOf(bounds: HistogramReading['bounds']): readonly string[] {
  const known = ENDS.get(bounds);
  if (known !== undefined) return known;
  const ends = [...bounds, '+Inf'].map((bound) => `${bound}"} `);
  ENDS.set(bounds, ends);
  return ends;
}

/**
 * Returns labels as text. Of the characters that JSON escapes, theirs have none but quotes at most.
 */
function labelText(labels: Sample<unknown>['labels']): string {
  return Object.entries(labels)
    .map(([label, value]) => `${label}=${JSON.stringify(value)}`)
    .join(',');
}

function braced(labels: string): string {
  return labels === '' ? '' : `{${labels}}`;
}
