/** Log lines for slow requests, which say where the time went. */
import type { Logger } from 'pino';
import { CLOCKS } from '../app/clock.ts';
import { TokenBuckets } from '../app/token-buckets.ts';
import { type RequestContext, waitedMs } from './request-context.ts';
import { clientIdsIn } from './requests/trace.ts';

/** In an outage every request is slow, and a few of them show why. */
const LINES = { capacity: 10, perSecond: 1, maxNames: 1 };

/**
 * Logs slow requests. Only the time up to the head of the response counts: the rest depends on the
 * client, which is monitored elsewhere, so long lists and event streams are not slow because of
 * their length.
 *
 * A few times are noted for each request, and computed with for slow ones only. The parts are
 * consecutive: the body is received; the request waits for the permit of a long read, or its
 * command for a batch; the batch is decided and recorded; the list catches up with the log. The
 * rest is work and waiting of the main thread.
 */
export class SlowRequests {
  readonly #logger: Logger;
  /** The time up to the head of its response from which a request is slow, in milliseconds. */
  readonly minMs: number;
  readonly #tokens: TokenBuckets;
  #omitted = 0;

  /** @param minMs 0: no request is slow. */
  constructor(logger: Logger, minMs: number, elapsed = CLOCKS.elapsed) {
    this.#logger = logger;
    this.minMs = minMs === 0 ? Number.POSITIVE_INFINITY : minMs;
    this.#tokens = new TokenBuckets(LINES, elapsed);
  }

  /**
   * Logs a slow request, unless there were too many: then the next line has the number of omitted
   * ones.
   * @param begunMs The elapsed times of its begin and its end, in milliseconds.
   */
  log(context: RequestContext, begunMs: number, endedMs: number): void {
    if (this.#tokens.take('') > 0) {
      this.#omitted += 1;
      return;
    }
    const answeredMs = context.answeredAtMs || endedMs;
    const parts = partsUntil(answeredMs, context);
    const known = Object.values(parts).reduce((sum, ms) => sum + ms, 0);
    const { requestId, operation, status, req } = context;
    const line = {
      requestId,
      traceId: clientIdsIn(req.headers).traceId,
      operation,
      status,
      durationMs: endedMs - begunMs,
      ...parts,
      otherMs: Math.max(0, answeredMs - begunMs - known),
      writeMs: endedMs - answeredMs,
    };
    const omitted = this.#omitted === 0 ? undefined : this.#omitted;
    this.#omitted = 0;
    this.#logger.warn({ ...rounded(line), omitted }, 'slow request');
  }
}

function partsUntil(answeredMs: number, context: RequestContext) {
  const { submittedAtMs, sentAtMs } = context;
  const bodyMs = waitedMs(context.bodyMs, answeredMs);
  const permitMs = waitedMs(context.permitMs, answeredMs);
  const catchUpMs = waitedMs(context.catchUpMs, answeredMs);
  const commandMs = submittedAtMs === 0 ? 0 : answeredMs - submittedAtMs - catchUpMs;
  // A command that was refused undecided was in the queue all the time.
  const queueMs = sentAtMs === 0 ? commandMs : sentAtMs - submittedAtMs;
  return { bodyMs, queueMs: queueMs + permitMs, commitMs: commandMs - queueMs, catchUpMs };
}

/** Rounds the numbers to tenths. */
function rounded<Line extends object>(line: Line): object {
  const entries = Object.entries(line).map(([name, value]) => {
    return [name, typeof value === 'number' ? Math.round(value * 10) / 10 : value];
  });
  return Object.fromEntries(entries);
}
