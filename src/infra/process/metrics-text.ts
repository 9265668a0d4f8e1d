/** The text of metrics, in the formats of OpenMetrics and of Prometheus, with those of the process. */
import {
  collectDefaultMetrics,
  type OpenMetricsContentType,
  type Metric as PromMetric,
  Registry,
} from 'prom-client';
import type { HistogramReading } from '../../app/histogram.ts';
import type { Metric, Sample } from '../../app/metric.ts';

/** Metrics as they are sent. */
export interface MetricsText {
  readonly contentType: string;
  readonly text: string;
}

/** The form in which the library reads the values of a metric. */
interface Read {
  readonly name: string;
  readonly help: string;
  readonly type: Metric['kind'];
  readonly values: readonly {
    readonly labels: object;
    /** Labels that are put into text once for all values which have the same object. */
    readonly sharedLabels?: object;
    readonly value: number;
    readonly metricName?: string;
  }[];
}

/** Gauges of the library whose names promtool rejects, because they end like those of counters. */
const ILL_NAMED = /^nodejs_active_\w+_total$/;

/**
 * Prints metrics. The format and the metrics of the process (processor time, memory, the event loop's
 * delay, garbage collections, file descriptors) are those of prom-client; the values of our own are
 * not counted by it, because it takes 1.3 µs for an observation in a histogram: see docs/adr/0030.
 */
export class MetricsPrinter {
  readonly #prometheus: Registry = new Registry();
  readonly #openMetrics = new Registry<OpenMetricsContentType>();

  constructor(metrics: readonly Metric[]) {
    this.#openMetrics.setContentType(Registry.OPENMETRICS_CONTENT_TYPE);
    collectDefaultMetrics({ register: this.#prometheus });
    for (const metric of this.#prometheus.getMetricsAsArray()) {
      const { name } = metric as unknown as { name: string };
      if (ILL_NAMED.test(name)) this.#prometheus.removeSingleMetric(name);
      else register(this.#openMetrics, name, async () => await readOf(metric));
    }
    for (const metric of metrics) {
      const read = async () => await readingOf(metric);
      register(this.#openMetrics, metric.name, read);
      register(this.#prometheus, metric.name, async () => withTotal(await read()));
    }
  }

  /** Returns all metrics in one of the two formats. */
  async print(format: 'OpenMetrics' | 'Prometheus'): Promise<MetricsText> {
    const registry = format === 'OpenMetrics' ? this.#openMetrics : this.#prometheus;
    return { contentType: registry.contentType, text: await registry.metrics() };
  }
}

/** Adds a metric to a registry, which calls nothing of it but `get`. */
function register(
  registry: Pick<Registry, 'registerMetric'>,
  name: string,
  get: () => Promise<Read>,
): void {
  registry.registerMetric({ name, get } as unknown as PromMetric);
}

/** Reads a metric of the library. In OpenMetrics a counter's name is without `_total`. */
async function readOf(metric: object): Promise<Read> {
  const read = await (metric as { get(): Promise<Read> }).get();
  return { ...read, name: read.type === 'counter' ? read.name.replace(/_total$/, '') : read.name };
}

async function readingOf(metric: Metric): Promise<Read> {
  const { name, help, kind } = metric;
  const values =
    kind === 'histogram'
      ? [...(await metric.read())].flatMap((sample) => linesOf(name, sample))
      : [...(await metric.read())];
  return { name, help, type: kind, values };
}

function linesOf(
  name: string,
  { labels: sharedLabels, value }: Sample<HistogramReading>,
): Read['values'] {
  const { bounds, cumulative, sum } = value;
  const buckets = cumulative.map((count, bucket) => ({
    metricName: `${name}_bucket`,
    sharedLabels,
    labels: { le: bounds[bucket] ?? '+Inf' },
    value: count,
  }));
  return [
    ...buckets,
    { metricName: `${name}_sum`, sharedLabels, labels: {}, value: sum },
    { metricName: `${name}_count`, sharedLabels, labels: {}, value: cumulative.at(-1) ?? 0 },
  ];
}

function withTotal(read: Read): Read {
  return read.type === 'counter' ? { ...read, name: `${read.name}_total` } : read;
}
