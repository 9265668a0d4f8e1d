import type { IncomingMessage, ServerResponse } from 'node:http';
import express, {
  type ErrorRequestHandler,
  type Express,
  type Request,
  type RequestHandler,
  type Response,
} from 'express';
import type { Logger } from 'pino';
import { CannotProve } from '../app/audit/prover.ts';
import type { RefusalRecorder } from '../app/audit/refusal-recorder.ts';
import type { Authenticator } from '../app/authenticator.ts';
import { CLOCKS } from '../app/clock.ts';
import { isDamage, StoreUnavailable } from '../app/ports/store.ts';
import { ApiError, sendError } from './api-error.ts';
import { authenticate } from './authentication.ts';
import { addCommonHeaders } from './common-headers.ts';
import { crossOrigin } from './cross-origin.ts';
import { type Addresses, serveDescriptions } from './description/served.ts';
import type { FailedAuthentications } from './failed-authentications.ts';
import { type FixedAnswer, fixedAnswer, once, serveFixed } from './fixed-answer.ts';
import type { Health } from './health.ts';
import { allowOnly, serveOperations } from './operation.ts';
import type { OrderUseCases } from './order-operations.ts';
import { V1 } from './orders-v1.ts';
import { V2 } from './orders-v2.ts';
import { servePages } from './pages/served.ts';
import { refusedAttempt } from './refused-attempt.ts';
import { ALL_METHODS, faultOfFrame } from './request-frame.ts';
import { requestLog } from './request-log.ts';
import { shownSyntaxError } from './shown.ts';

export interface AppParts {
  readonly logger: Logger;
  readonly health: Health;
  /** Told of an answer that could not be given because the store is damaged. */
  readonly damaged: (cause: Error) => void;
  readonly authenticator: Authenticator;
  readonly orders: OrderUseCases;
  /** Told of what is refused to whom. */
  readonly refusals: Pick<RefusalRecorder, 'note'>;
  readonly addresses: Addresses;
  /** The origins whose pages may call the API from a browser. */
  readonly corsOrigins: readonly string[];
  /** Bounds the requests without a valid key; absent where nothing does. */
  readonly failures?: FailedAuthentications | undefined;
  /** The proxies whose X-Forwarded-For is believed. */
  readonly trustedProxies?: readonly string[];
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/** Answers requests, and has the prototypes that Express gives them and their answers. */
export type App = ((req: IncomingMessage, res: ServerResponse) => void) &
  Pick<Express, 'request' | 'response'>;

/** The HTTP interface, from what every request goes through to the last error handler. */
export function createApp(parts: AppParts): App {
  const { logger, health, orders, corsOrigins, trustedProxies = [], now = CLOCKS.wall } = parts;
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('strict routing');
  app.enable('case sensitive routing');
  app.set('trust proxy', trustedProxies);

  addCommonHeaders(app);
  if (corsOrigins.length > 0) app.use(crossOrigin(corsOrigins));
  const gate = authenticate(parts.authenticator, whileServing(health), parts.failures);
  serveOperations(app, '/v1', V1, orders, gate, now);
  serveOperations(app, '/v2', V2, orders, gate, now);
  serveDescriptions(app, parts.addresses);
  servePages(app, parts.addresses);
  serveFixed(
    app,
    '/public-key',
    once(() => keyFile(orders)),
  );
  probe(app, '/livez', () => ({ status: 'ok' }));
  probe(app, '/readyz', () => health.requireReady());

  app.use(() => {
    throw new ApiError('not_found');
  });
  const answerError = handleErrors(parts);
  app.use(answerError);

  const log = requestLog(logger);
  // What every request goes through comes before Express, whose router takes 1 to 2 µs for a step.
  const answer = (req: Request, res: Response) => {
    const fault = faultOfFrame(req);
    log(req, res);
    // An error behind the head of an answer can only cut it off.
    const cutOff = () => void req.socket.destroy();
    if (fault === undefined && req.url !== '*') {
      app(req, res, cutOff);
      return;
    }
    // What follows may be the rest of this request, or another one: nobody can tell.
    res.shouldKeepAlive = false;
    if (fault?.status !== 400) res.setHeader('Allow', ALL_METHODS);
    if (fault !== undefined) answerError(fault, req, res, cutOff);
    else res.writeHead(204).end();
  };
  const { request, response } = app;
  return Object.assign(answer, { request, response }) as App;
}

/** The public key as a file. */
async function keyFile({ prover }: OrderUseCases): Promise<FixedAnswer> {
  try {
    return await fixedAnswer('text/plain; charset=utf-8', `${prover.verifierKey}\n`);
  } catch (error) {
    throw error instanceof CannotProve ? new ApiError('not_found', `${error.message}.`) : error;
  }
}

/** What the body parser refuses with 400, by its own name for it; all else is an address of no sense. */
const MALFORMED: Readonly<Record<string, string>> = {
  'request.aborted': 'The body is not complete.',
  'request.size.invalid': 'The body is not as long as Content-Length says.',
};
const NO_ENCODING = 'The address is not percent-encoded UTF-8.';

/** An address at which machines ask, without a key, how the service is. */
function probe(app: Express, path: string, state: () => object): void {
  const route = app.route(path).get((_req, res) => {
    res.setHeader('Cache-Control', 'no-store').json(state());
  });
  allowOnly(route, ['get']);
}

/** The methods that change nothing (RFC 9110, section 9.2.1). */
const READING_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

function whileServing(health: Health): RequestHandler {
  return (req, _res, next) => {
    health.requireServing(!READING_METHODS.has(req.method));
    return next();
  };
}

function handleErrors({
  refusals,
  damaged,
}: Pick<AppParts, 'refusals' | 'damaged'>): ErrorRequestHandler {
  // Express tells an error handler by its four parameters.
  return (error, req, res, next) => {
    if (isDamage(error)) damaged(error);
    const answer = toApiError(error);
    // For the log alone: what went wrong inside is none of the client's business.
    if (answer.code === 'internal_error')
      res.locals.cause = (error as Error).stack ?? String(error);
    if (isOfStore(error)) res.locals.cause = error.message;
    const refused = refusedAttempt(req, res, answer);
    if (refused !== undefined) refusals.note(refused);
    if (res.headersSent) next(error);
    else sendError(res, answer);
  };
}

/** Whether the store could not be asked, or does not hold what was recorded. */
function isOfStore(error: unknown): error is Error {
  return error instanceof StoreUnavailable || isDamage(error);
}

/** Puts what Express and its body parser throw into our own words. */
function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (isOfStore(error)) return new ApiError('service_unavailable');
  const { status, type, message } = error as { status?: number; type?: string; message?: string };
  if (type === 'entity.parse.failed') {
    const reason = shownSyntaxError(message ?? '');
    return new ApiError('invalid_request', `The body is not valid JSON: ${reason}`);
  }
  switch (status) {
    case 413:
      return new ApiError('payload_too_large');
    case 415:
      return new ApiError('unsupported_media_type');
    case 400:
      return new ApiError('invalid_request', MALFORMED[type ?? ''] ?? NO_ENCODING);
    default:
      return new ApiError('internal_error');
  }
}
