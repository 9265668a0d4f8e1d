import { EventEmitter } from 'node:events';
import {
  type Context,
  ROOT_CONTEXT,
  type SpanOptions,
  SpanStatusCode,
  type TimeInput,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { RequestContext } from '../../../src/http/request-context.ts';
import { RequestLog } from '../../../src/http/request-log.ts';
import { RequestMetrics } from '../../../src/http/request-metrics.ts';
import { RequestSpans, registeredTracer } from '../../../src/http/request-spans.ts';

const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT_ID = '00f067aa0ba902b7';
const ROUTES = new Map([['v1 cancelOrder', '/v1/store/orders/:orderId']]);

interface Made {
  readonly name: string;
  readonly options: SpanOptions;
  readonly parent: string | undefined;
  readonly attributes: Record<string, unknown>;
  status?: { readonly code: SpanStatusCode };
  ended?: TimeInput;
}

let made: Made[] = [];
let isRecording = true;
let lastParent: Context = ROOT_CONTEXT;

/** A tracer that keeps what it is given. */
const tracer = {
  startSpan(name: string, options: SpanOptions, context: Context) {
    const parent = trace.getSpanContext(context)?.spanId;
    const one: Made = { name, options, parent, attributes: { ...options.attributes } };
    made.push(one);
    lastParent = context;
    const spanId = `${made.length}`.padStart(16, '0');
    const span = {
      spanContext: () => ({ traceId: TRACE_ID, spanId, traceFlags: 1 }),
      isRecording: () => isRecording,
      setAttribute(key: string, value: unknown) {
        one.attributes[key] = value;
        return span;
      },
      setStatus(status: { readonly code: SpanStatusCode }) {
        one.status = status;
        return span;
      },
      end(time: TimeInput) {
        one.ended = time;
      },
    };
    return span;
  },
} as unknown as Tracer;

beforeEach(() => {
  made = [];
  isRecording = true;
});
afterEach(() => trace.disable());

function request(members: object = {}, headers: object = {}, status = 204): RequestContext {
  return {
    req: { method: 'DELETE', url: '/v1/store/orders/1', headers },
    res: { writableFinished: true },
    status,
    requestId: 'r',
    operation: 'v1 cancelOrder',
    ...{ submittedAtMs: 0, sentAtMs: 0, answeredAtMs: 0, catchUpMs: 0 },
    ...members,
  } as unknown as RequestContext;
}

function recorded(context: RequestContext, begunMs = 1_000, endedMs = 2_000): readonly Made[] {
  new RequestSpans(tracer, ROUTES).record(context, begunMs, endedMs);
  return made;
}

it('there is a tracer if an SDK is registered, and none otherwise', () => {
  expect(registeredTracer()).toBeUndefined();
  trace.setGlobalTracerProvider({ getTracer: () => tracer });
  expect(registeredTracer()).toBe(tracer);
});

it('a span has the conventions of HTTP, and its times are times of day', () => {
  const [span, ...others] = recorded(request()) as [Made];
  expect(others).toEqual([]);
  expect(span.name).toBe('DELETE /v1/store/orders/:orderId');
  expect(span.options.kind).toBe(1);
  expect(span.attributes).toEqual({
    'http.request.method': 'DELETE',
    'http.response.status_code': 204,
    'http.route': '/v1/store/orders/:orderId',
    'url.path': '/v1/store/orders/1',
    'url.scheme': 'http',
    'store_orders.request_id': 'r',
  });
  expect(span.status).toBeUndefined();
  const [start, end] = [span.options.startTime, span.ended] as [number, number];
  expect(end - start).toBeCloseTo(1_000);
  // The elapsed time is zero at about the start of the process.
  expect(Math.abs(start - 1_000 - performance.timeOrigin)).toBeLessThan(60_000);
});

it('unknown operations and methods are not part of the name', () => {
  const members = { operation: '', req: { method: 'PURGE', url: '/x', headers: {} } };
  const [span] = recorded(request(members)) as [Made];
  expect(span.name).toBe('HTTP');
  expect(span.attributes['http.request.method']).toBe('_OTHER');
  expect(span.attributes).not.toHaveProperty('http.route');
});

it.each([
  [500, undefined, true, '500'],
  [503, 'service_unavailable', true, 'service_unavailable'],
  [200, undefined, false, 'aborted'],
])('the error of a %s with the code %s, complete: %s, is %s', (status, refusal, isWhole, type) => {
  const res = { writableFinished: isWhole };
  const [span] = recorded(request({ refusal, res }, {}, status)) as [Made];
  expect(span.attributes['error.type']).toBe(type);
  expect(span.status).toEqual({ code: SpanStatusCode.ERROR });
});

it('a request that ended before its response has no status', () => {
  const res = { writableFinished: false };
  const [span] = recorded(request({ res, status: undefined })) as [Made];
  expect(span.attributes).not.toHaveProperty('http.response.status_code');
  expect(span.attributes['error.type']).toBe('aborted');
});

it('a refusal of the client is no error of the service', () => {
  const [span] = recorded(request({ refusal: 'order_not_found' }, {}, 404)) as [Made];
  expect(span.status).toBeUndefined();
});

it("it is a child of the client's span, with its flags and its state", () => {
  const traceparent = `00-${TRACE_ID}-${PARENT_ID}-01`;
  recorded(request({}, { traceparent, tracestate: 'shop=1' }));
  const parent = trace.getSpanContext(lastParent);
  expect(parent).toMatchObject({
    traceId: TRACE_ID,
    spanId: PARENT_ID,
    traceFlags: 1,
    isRemote: true,
  });
  expect(parent?.traceState?.get('shop')).toBe('1');
  recorded(request({}, { traceparent: 'nonsense', tracestate: 'shop=1' }));
  expect(trace.getSpanContext(lastParent)).toBeUndefined();
});

it('a command has spans of its own for the queue and for the commit', () => {
  const times = { submittedAtMs: 1_100, sentAtMs: 1_200, answeredAtMs: 1_900, catchUpMs: 300 };
  const [span, queue, commit] = recorded(request(times)) as [Made, Made, Made];
  const start = span.options.startTime as number;
  const timesOf = ({ options, ended }: Made) =>
    [options.startTime as number, ended as number].map((time) => Math.round(time - start));
  expect([queue.name, ...timesOf(queue)]).toEqual(['queue', 100, 200]);
  expect([commit.name, ...timesOf(commit)]).toEqual(['commit', 200, 600]);
  expect([queue.parent, commit.parent]).toEqual(['0000000000000001', '0000000000000001']);
});

it('of a request that is not sampled, the span has no parts', () => {
  isRecording = false;
  expect(recorded(request({ submittedAtMs: 1, sentAtMs: 2 }))).toHaveLength(1);
});

it('costs no more than the spans if the SDK fails, and one line in a row of failures', () => {
  const lines: Record<string, unknown>[] = [];
  const logger = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) });
  let fails = true;
  const failing = {
    startSpan(...given: Parameters<Tracer['startSpan']>) {
      if (fails) throw new Error('no space left');
      return tracer.startSpan(...given);
    },
  } as unknown as Tracer;
  const spans = new RequestSpans(failing, ROUTES);
  const log = new RequestLog(logger, new RequestMetrics(), undefined, spans);
  const end = () => {
    const res = Object.assign(new EventEmitter(), { writableFinished: true });
    log.logWhenDone({ ...request(), res } as unknown as RequestContext);
    res.emit('close');
  };
  end();
  end();
  fails = false;
  end();
  fails = true;
  end();
  const failed = 'no spans: the SDK has failed';
  expect(lines.map(({ msg }) => msg)).toEqual([
    ...['request', failed, 'request', 'request'],
    ...['request', failed],
  ]);
  expect(lines[1]).toMatchObject({ level: 40, err: { message: 'no space left' } });
  expect(made).toHaveLength(1);
});
