/** The context of a request: what is established about it, and the times that its line in the log divides. */
import { randomUUID } from 'node:crypto';
import type { Request, Response } from 'express';
import { CLOCKS } from '../app/clock.ts';
import type { Progress } from '../app/log/submission.ts';
import type { ApiKey } from '../app/ports/key-store.ts';
import type { Permit } from '../app/read/bulkhead.ts';
import type { ErrorCode } from './api-error.ts';
import { clientIdsIn } from './requests/trace.ts';

/**
 * A request, its response, and everything established about it. Each request has one, created
 * before Express receives the request and available as `req.context` from then on.
 */
export class RequestContext {
  readonly req: Request;
  readonly res: Response;
  /** The id of the request, which is also the id of its command. */
  readonly requestId = randomUUID();
  /**
   * The operation that serves it, with its version, such as `v1 listOrders`; empty if there is
   * none.
   */
  operation = '';
  /** The API key of an authenticated request. */
  key: ApiKey | undefined = undefined;
  /** Removes it from the requests in flight of its key; undefined if the key has no limits. */
  leave: (() => void) | undefined = undefined;
  /** The parts of the request, parsed by the schemas of its operation. */
  path: unknown = undefined;
  query: unknown = undefined;
  headers: unknown = undefined;
  body: unknown = undefined;
  /** The permit of a long read in flight; undefined for other requests. */
  permit: Permit | undefined = undefined;
  /** Elapsed times in milliseconds, 0 if not reached yet: {@link SlowRequests} explains them. */
  submittedAtMs = 0;
  sentAtMs = 0;
  answeredAtMs = 0;
  /** Durations in milliseconds: see {@link waitedMs}. */
  bodyMs = 0;
  permitMs = 0;
  catchUpMs = 0;
  /** The code of the Error sent. */
  refusal: ErrorCode | undefined = undefined;
  /** The cause of a failure, for the log only. */
  cause: string | undefined = undefined;

  constructor(req: Request, res: Response) {
    this.req = req;
    this.res = res;
  }

  /** The status of the response; undefined if the client left before it had one. */
  get status(): number | undefined {
    return this.res.headersSent ? this.res.statusCode : undefined;
  }

  /** Notes the time at which its command is submitted. */
  submitted(): Progress {
    this.submittedAtMs = CLOCKS.elapsed();
    return this;
  }

  /** The span of the client, if the request names a valid one. */
  get traceparent(): string | undefined {
    return clientIdsIn(this.req.headers).traceparent;
  }

  /** True if the connection was closed before the response was complete. */
  get isGone(): boolean {
    return this.res.closed;
  }
}

/**
 * Returns a duration up to a time, both in milliseconds. Of a wait that has begun and not ended, as if its
 * client leaves, the beginning is subtracted already: it is negative.
 */
export function waitedMs(durationMs: number, untilMs: number): number {
  return durationMs < 0 ? durationMs + untilMs : durationMs;
}

declare global {
  namespace Express {
    interface Request {
      context: RequestContext;
    }
  }
}

/** Ends the connection of a request at once, and frees the system's buffers. The log line has the cause. */
export function cutOff(
  { context, socket }: Pick<Request, 'context' | 'socket'>,
  cause: string,
): void {
  context.cause = cause;
  socket.resetAndDestroy();
}
