/** Preloaded into a service, as an operator would: an SDK of OpenTelemetry, whose spans are log lines. */
import { isMainThread } from 'node:worker_threads';
import { trace } from '@opentelemetry/api';
import {
  BasicTracerProvider,
  SimpleSpanProcessor,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-base';

/** Prints each span on a line of its own. */
const exporter: SpanExporter = {
  export(spans, done) {
    for (const span of spans) {
      const { name, attributes, status, parentSpanContext } = span;
      const { traceId } = span.spanContext();
      const parent = parentSpanContext?.spanId;
      const line = { msg: 'span', name, traceId, parent, attributes, status: status.code };
      process.stdout.write(`${JSON.stringify(line)}\n`);
    }
    done({ code: 0 });
  },
  shutdown: () => Promise.resolve(),
};

if (isMainThread) {
  const spanProcessors = [new SimpleSpanProcessor(exporter)];
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors }));
}
