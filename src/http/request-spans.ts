/** Spans of requests, for the OpenTelemetry SDK of an operator who loads one. */
import {
  type Context,
  createTraceState,
  ProxyTracerProvider,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { CLOCKS } from '../app/clock.ts';
import { type RequestContext, waitedMs } from './request-context.ts';
import { OTHER_METHOD, shownMethod, shownPath } from './requests/shown.ts';
import { clientIdsIn } from './requests/trace.ts';

const NAME = 'store-orders';

/**
 * Returns the tracer of the registered SDK; undefined if there is none, so that spans cost nothing
 * without a receiver. An SDK is loaded before the program: see docs/observability/traces.md.
 */
export function registeredTracer(): Tracer | undefined {
  const provider = trace.getTracerProvider();
  // Without an SDK, the API has a placeholder as provider.
  return provider instanceof ProxyTracerProvider
    ? provider.getDelegateTracer(NAME)
    : provider.getTracer(NAME);
}

/**
 * Makes the spans of each request when it is over, from the times noted meanwhile. So no context
 * has to be passed along, and requests are served as without an SDK. A command has one span for its
 * time in the queue, and one until it was durable; it may share that batch with other requests.
 */
export class RequestSpans {
  readonly #tracer: Tracer;
  readonly #routes: ReadonlyMap<string, string>;

  /** @param routes The routes of the operations, by their names with the version. */
  constructor(tracer: Tracer, routes: ReadonlyMap<string, string>) {
    this.#tracer = tracer;
    this.#routes = routes;
  }

  /** @param begunMs The elapsed times of the request's begin and end, in milliseconds. */
  record(context: RequestContext, begunMs: number, endedMs: number): void {
    const { req, res, requestId, operation, status, refusal } = context;
    const route = this.#routes.get(operation);
    const method = shownMethod(req.method);
    const name = method === OTHER_METHOD ? 'HTTP' : method;
    // The SDK requires wall-clock times, and this is the only one that was read.
    const at = timeOfDay();
    const parent = parentOf(req.headers);
    const span = this.#tracer.startSpan(
      route === undefined ? name : `${name} ${route}`,
      {
        kind: SpanKind.SERVER,
        startTime: at(begunMs),
        attributes: {
          'http.request.method': method,
          'url.path': shownPath(req.originalUrl ?? req.url),
          'url.scheme': 'http',
          'store_orders.request_id': requestId,
          ...(status !== undefined && { 'http.response.status_code': status }),
          ...(route !== undefined && { 'http.route': route }),
        },
      },
      parent,
    );
    if ((status ?? 0) >= 500 || !res.writableFinished) {
      const type = res.writableFinished ? (refusal ?? String(status)) : 'aborted';
      span.setAttribute('error.type', type).setStatus({ code: SpanStatusCode.ERROR });
    }
    if (context.sentAtMs > 0 && span.isRecording()) {
      const inside = trace.setSpan(parent, span);
      const { submittedAtMs, sentAtMs, answeredAtMs, catchUpMs } = context;
      this.#part('queue', inside, at(submittedAtMs), at(sentAtMs));
      const untilMs = answeredAtMs || endedMs;
      this.#part('commit', inside, at(sentAtMs), at(untilMs - waitedMs(catchUpMs, untilMs)));
    }
    span.end(at(endedMs));
  }

  #part(name: string, inside: Context, from: number, to: number): void {
    this.#tracer.startSpan(name, { startTime: from }, inside).end(to);
  }
}

/** Returns a function that converts elapsed times to times since 1970, in milliseconds. */
function timeOfDay(): (elapsedMs: number) => number {
  const offset = CLOCKS.wall() - CLOCKS.elapsed();
  return (elapsedMs) => offset + elapsedMs;
}

/** Returns the context of the client's span, if the request names one. */
function parentOf(headers: RequestContext['req']['headers']): Context {
  const { traceId, parentSpanId: spanId, traceFlags = 0 } = clientIdsIn(headers);
  if (traceId === undefined || spanId === undefined) return ROOT_CONTEXT;
  const { tracestate } = headers;
  const state =
    tracestate === undefined ? {} : { traceState: createTraceState(String(tracestate)) };
  return trace.setSpanContext(ROOT_CONTEXT, {
    ...{ traceId, spanId, traceFlags, isRemote: true },
    ...state,
  });
}
