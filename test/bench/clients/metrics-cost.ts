import { byLabel, type Metric } from '../../../src/app/metric.ts';
import type { ErrorCode } from '../../../src/http/api-error.ts';
import { ERRORS } from '../../../src/http/api-error.ts';
import type { Operation } from '../../../src/http/operations/operation.ts';
import { V1 } from '../../../src/http/operations/v1.ts';
import { V2 } from '../../../src/http/operations/v2.ts';
import { RequestContext } from '../../../src/http/request-context.ts';
import { RequestMetrics } from '../../../src/http/request-metrics.ts';
import { RequestSpans, registeredTracer } from '../../../src/http/request-spans.ts';
import { MetricsPrinter } from '../../../src/infra/process/metrics-text.ts';
import { median } from '../row.ts';

/**
 * Measures what metrics cost in a process of its own: an observation, a span where no SDK is loaded, the
 * times that a request notes for the line of a slow one, and a scrape with a series for each operation,
 * method and class of status.
 */

const ROUNDS = 15;
const CALLS = 1_000_000;
/** Those of 25 minutes, by a Prometheus that scrapes every 15 s. */
const SCRAPES = 100;

export interface MetricsCost {
  /** The cost of one call, in microseconds. */
  readonly observationUs: number;
  readonly spanUs: number;
  readonly timesUs: number;
  /** The time of one scrape, in milliseconds, and its lines. */
  readonly scrapeMs: number;
  readonly lines: number;
}

const CONTEXTS = [...contextsOf('v1', V1), ...contextsOf('v2', V2)];

type Described = Pick<Operation, 'operationId' | 'method'>;

/** Returns a request of every kind: an operation answers HEAD where it answers GET. */
function contextsOf(version: string, table: readonly Described[]): readonly RequestContext[] {
  return table.flatMap(({ operationId, method }) =>
    (method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()]).flatMap((name) =>
      [200, 304, 404, 503].map((status) => contextOf(`${version} ${operationId}`, name, status)),
    ),
  );
}

function contextOf(operation: string, method: string, statusCode: number): RequestContext {
  const [req, res] = [{ method }, { statusCode }] as unknown as [
    RequestContext['req'],
    RequestContext['res'],
  ];
  return Object.assign(new RequestContext(req, res), { operation });
}

/** Returns the median cost of a call in microseconds, with the loop around it, which takes 1 ns. */
function costOf(call: (context: RequestContext, index: number) => void): number {
  const rounds = Array.from({ length: ROUNDS }, () => {
    const begun = performance.now();
    for (let index = 0; index < CALLS; index++) {
      call(CONTEXTS[index % CONTEXTS.length] as RequestContext, index);
    }
    return performance.now() - begun;
  });
  return (median(rounds) / CALLS) * 1_000;
}

/** Undefined: this process has no SDK. */
const tracer = registeredTracer();
const spans = tracer && new RequestSpans(tracer, new Map());
let slow = 0;

/** Does what a cancellation does for the line of a slow request. */
function noteTimes(context: RequestContext): void {
  const begunMs = performance.now();
  context.submitted();
  context.sentAtMs = begunMs;
  context.answeredAtMs = performance.now();
  if ((context.answeredAtMs || begunMs) - begunMs >= 1_000) slow += 1;
}

const requests = new RequestMetrics();
const observationUs = costOf((context, index) => requests.observe(context, index % 100));
const spanUs = costOf((context, index) => spans?.record(context, index, index));
// One of its clock's readings is that of the request log itself.
const timesUs = costOf(noteTimes) - costOf(() => void performance.now());

const codes = (Object.keys(ERRORS) as ErrorCode[]).map((code) => [code, 1] as const);
const metrics: readonly Metric[] = [
  { name: 'durations', help: 'Durations.', kind: 'histogram', read: () => requests.durations() },
  { name: 'errors', help: 'Errors.', kind: 'counter', read: () => byLabel('code', codes) },
];
const printer = new MetricsPrinter(metrics);
const scrapes: number[] = [];
let lines = 0;
for (let scrape = 0; scrape < SCRAPES; scrape++) {
  const begun = performance.now();
  const { text } = await printer.print(scrape % 2 === 0 ? 'OpenMetrics' : 'Prometheus');
  scrapes.push(performance.now() - begun);
  lines = text.split('\n').length;
}
const cost: MetricsCost = { observationUs, spanUs, timesUs, scrapeMs: median(scrapes), lines };
process.stdout.write(JSON.stringify(slow === 0 ? cost : {}));
process.exit();
