/** The request log: one line for each request. */
import type { Logger } from 'pino';
import { withoutLongRuns } from '../app/secrets.ts';
import type { RequestContext } from './request-context.ts';
import type { RequestMetrics } from './request-metrics.ts';
import type { RequestSpans } from './request-spans.ts';
import { shownPath } from './requests/shown.ts';
import { clientIdsIn } from './requests/trace.ts';
import { SlowRequests } from './slow-requests.ts';

/** The most kinds of lines whose members are cached; beyond it, the cache is cleared. */
const MAX_KINDS = 1_000;

/** The members shared by many lines. */
interface Kind {
  readonly method: string;
  readonly status: number | undefined;
  readonly keyId: string | undefined;
  readonly outcome: string;
}

/**
 * Logs each request as one JSON line: its id, client, target, result and duration. The only text of
 * clients in it is the method, which is one of a few, and a safe form of the path and of the
 * client's ids.
 */
export class RequestLog {
  readonly #logger: Logger;
  readonly #metrics: Pick<RequestMetrics, 'observe'>;
  readonly #slow: SlowRequests;
  readonly #spans: RequestSpans | undefined;
  readonly #loggers = new Map<string, Logger>();
  /** False while the SDK of the spans fails. */
  #hasSpans = true;

  constructor(
    logger: Logger,
    metrics: Pick<RequestMetrics, 'observe'>,
    slow = new SlowRequests(logger, 0),
    spans?: RequestSpans,
  ) {
    this.#logger = logger;
    this.#metrics = metrics;
    this.#slow = slow;
    this.#spans = spans;
  }

  /** Logs and measures a request when it is over. */
  logWhenDone(context: RequestContext): void {
    const begunMs = performance.now();
    const { req, res, requestId } = context;
    const { method, originalUrl = req.url } = req;
    res.on('close', () => {
      const { status } = context;
      const endedMs = performance.now();
      const durationMs = endedMs - begunMs;
      this.#metrics.observe(context, durationMs);
      const { key, refusal, cause } = context;
      const { traceId, parentSpanId, clientRequestId } = clientIdsIn(req.headers);
      // A client that disconnected before its response was complete did not receive it.
      const outcome = res.writableFinished ? (refusal ?? 'ok') : 'aborted';
      this.#loggerOf({ method, status, keyId: key?.id, outcome })[
        (status ?? 0) >= 500 ? 'error' : 'info'
      ](
        {
          requestId,
          path: shownPath(originalUrl),
          traceId,
          parentSpanId,
          clientRequestId,
          cause: cause === undefined ? undefined : withoutLongRuns(cause),
          // Rounded to hundredths: V8 caches the text of such numbers.
          durationMs: Math.round(durationMs * 100) / 100,
        },
        'request',
      );
      const isSlow = (context.answeredAtMs || endedMs) - begunMs >= this.#slow.minMs;
      if (isSlow) this.#slow.log(context, begunMs, endedMs);
      this.#record(context, begunMs, endedMs);
    });
  }

  /** Makes the spans of a request. An SDK that fails at them ends neither the service nor the request. */
  #record(context: RequestContext, begunMs: number, endedMs: number): void {
    try {
      this.#spans?.record(context, begunMs, endedMs);
      this.#hasSpans = true;
    } catch (error) {
      // One line for all failures in a row.
      if (this.#hasSpans) this.#logger.warn({ err: error }, 'no spans: the SDK has failed');
      this.#hasSpans = false;
    }
  }

  /**
   * Returns a logger with the members of the kind already in JSON: printing them for each line
   * would take 4 % of the time of a small request.
   */
  #loggerOf(kind: Kind): Logger {
    const name = `${kind.method} ${kind.status} ${kind.keyId} ${kind.outcome}`;
    const known = this.#loggers.get(name);
    if (known !== undefined) return known;
    if (this.#loggers.size >= MAX_KINDS) this.#loggers.clear();
    const made = this.#logger.child(kind);
    this.#loggers.set(name, made);
    return made;
  }
}
