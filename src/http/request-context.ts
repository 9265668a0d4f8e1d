import { randomUUID } from 'node:crypto';
import type { Request, Response } from 'express';
import { CLOCKS } from '../app/clock.ts';
import type { Progress } from '../app/log/submission.ts';
import type { ApiKey } from '../app/ports/key-store.ts';
import type { Place } from '../app/read/bulkhead.ts';
import type { ErrorCode } from './api-error.ts';
import { clientIdsIn } from './requests/trace.ts';

/**
 * A request, its answer, and everything that the service has established about it. Each request has
 * one, made before Express receives the request and found in `req.context` from then on.
 */
export class RequestContext {
  readonly req: Request;
  readonly res: Response;
  /** The id of the request, which is also the id of its command. */
  readonly requestId = randomUUID();
  /** The operation that serves it, after its version, such as `v1 listOrders`; empty if none does. */
  operation = '';
  /** The API key of an authenticated request. */
  key: ApiKey | undefined = undefined;
  /** Ends its count among the requests of its key that are under way; undefined without limits. */
  leave: (() => void) | undefined = undefined;
  /** The parts of the request as the schemas of its operation have parsed them. */
  path: unknown = undefined;
  query: unknown = undefined;
  headers: unknown = undefined;
  body: unknown = undefined;
  /** Its place among the long reads under way; undefined for any other request. */
  place: Place | undefined = undefined;
  /** Elapsed times in milliseconds, 0 for what has not come: {@link SlowRequests} explains them. */
  submittedAtMs = 0;
  sentAtMs = 0;
  answeredAtMs = 0;
  /** Durations in milliseconds. */
  bodyMs = 0;
  placeMs = 0;
  catchUpMs = 0;
  /** The code of the Error that was sent. */
  refusal: ErrorCode | undefined = undefined;
  /** The cause of a failure, for the log alone: clients are not shown it. */
  cause: string | undefined = undefined;

  constructor(req: Request, res: Response) {
    this.req = req;
    this.res = res;
  }

  /** Notes that its command is about to be submitted. */
  submitted(): Progress {
    this.submittedAtMs = CLOCKS.elapsed();
    return this;
  }

  /** Its place in the trace of its client, if that names a valid one. */
  get traceparent(): string | undefined {
    return clientIdsIn(this.req.headers).traceparent;
  }

  /** True if the connection was closed before the answer was complete: nobody will receive it. */
  get isGone(): boolean {
    return this.res.closed;
  }
}

declare global {
  namespace Express {
    interface Request {
      context: RequestContext;
    }
  }
}
