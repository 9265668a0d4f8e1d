import autocannon, { type Options, type Request } from 'autocannon';
import { idAt } from '../id-sequence.ts';
import type { LoadOrder, Seen } from '../load.ts';

/**
 * Sends requests with autocannon, according to its argument, and prints the results as JSON. It
 * counts and times the responses itself, because autocannon rounds to whole milliseconds.
 */

const order = JSON.parse(process.argv[2] as string) as LoadOrder;
const latencies: number[] = [];
const ids: number[] = [];
let bytes = 0;
let used = 0;
let failed = 0;
let begun = performance.now();
let lastAnswer = begun;

const connections = Math.min(order.connections, order.limit ?? order.connections);
const running = autocannon(options(), () => undefined);
running.on('response', (_client, status, size, duration) => {
  lastAnswer = performance.now();
  bytes += size;
  if (status >= 400) failed += 1;
  else latencies.push(duration);
});
running.on('reqError', () => {
  failed += 1;
});
running.once('done', () => process.stdout.write(JSON.stringify(seen())));

function options(): Options {
  const { url, method, headers = {}, body, seconds, limit, path } = order;
  const sent = body === undefined ? headers : { 'Content-Type': 'application/json', ...headers };
  begun = performance.now();
  return {
    url,
    connections,
    duration: seconds,
    // The end of the time is checked at each sample.
    sampleInt: 50,
    ...(limit === undefined ? {} : { maxOverallRequests: limit }),
    requests: [
      {
        method,
        path,
        headers: sent,
        ...(body === undefined ? {} : { body }),
        ...(order.ids === undefined ? {} : oneOrderEach(path, order.ids)),
      },
    ],
  };
}

function oneOrderEach(
  path: string,
  sequence: NonNullable<LoadOrder['ids']>,
): Pick<Request, 'setupRequest' | 'onResponse'> {
  return {
    setupRequest(request, context: { id?: number }) {
      context.id = idAt(sequence.first + used, sequence);
      used += 1;
      return { ...request, path: path.replace('{id}', String(context.id)) };
    },
    onResponse(status, _body, context: { id?: number }) {
      if (status < 400) ids.push(context.id as number);
    },
  };
}

function seen(): Seen {
  const sorted = Float64Array.from(latencies).sort();
  const percentile = (share: number) => sorted[Math.floor(sorted.length * share)] ?? 0;
  return {
    answered: latencies.length,
    failed,
    bytes,
    seconds: (lastAnswer - begun) / 1_000,
    p50: percentile(0.5),
    p99: percentile(0.99),
    used,
    ...(order.ids === undefined ? {} : { ids }),
  };
}
