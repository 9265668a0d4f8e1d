import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import helmet from 'helmet';
import type { Logger } from 'pino';
import type { Authenticator } from '../app/authenticator.ts';
import { ApiError, sendError } from './api-error.ts';
import { authenticate } from './authentication.ts';
import type { Health } from './health.ts';
import { routerOf } from './operation.ts';
import { type OrderUseCases, ordersV1 } from './orders-v1.ts';
import { requestLog } from './request-log.ts';

export interface AppParts {
  readonly logger: Logger;
  readonly health: Health;
  readonly authenticator: Authenticator;
  readonly orders: OrderUseCases;
}

/** The HTTP interface, from the first middleware to the last error handler. */
export function createApp({ logger, health, authenticator, orders }: AppParts): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('strict routing');
  app.enable('case sensitive routing');

  app.use(requestLog(logger));
  app.use(helmet(SECURITY_HEADERS));
  app.use(requireHost);
  app.get('/livez', (_req, res) => void res.json({ status: 'ok' }));
  app.get('/readyz', (_req, res) => void res.json(health.requireReady()));
  app.use('/v1', authenticate(authenticator), whenReady(health), routerOf(ordersV1(orders)));

  app.use(() => {
    throw new ApiError('not_found');
  });
  app.use(handleError);
  return app;
}

// An API answers programs: nothing it says is to be framed, sniffed, or run as a page.
const SECURITY_HEADERS = {
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
  },
};

// RFC 9112, section 3.2. Node would answer by itself, without an Error object.
const requireHost: RequestHandler = (req, _res, next) => {
  if (req.headers.host === undefined && req.httpVersion === '1.1') {
    throw new ApiError('invalid_request', 'The Host header is missing.');
  }
  next();
};

function whenReady(health: Health): RequestHandler {
  return (_req, _res, next) => {
    health.requireReady();
    next();
  };
}

// Express tells an error handler by its four parameters.
const handleError: ErrorRequestHandler = (error, req, res, next) => {
  const answer = toApiError(error);
  if (answer.code === 'internal_error') req.log.error(error, 'unexpected');
  if (res.headersSent) next(error);
  else sendError(res, answer);
};

/** Puts what Express and its body parser throw into our own words. */
function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  const { status, type, message } = error as { status?: number; type?: string; message?: string };
  if (type === 'entity.parse.failed') {
    return new ApiError('invalid_request', `The body is not valid JSON: ${message}`);
  }
  switch (status) {
    case 413:
      return new ApiError('payload_too_large');
    case 415:
      return new ApiError('unsupported_media_type');
    case 400:
      return new ApiError('invalid_request', message);
    default:
      return new ApiError('internal_error');
  }
}
