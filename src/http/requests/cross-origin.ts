import cors from 'cors';
import type { RequestHandler } from 'express';

/** The request headers that the service reads, beside the CORS-safelisted ones. */
const READ = [
  'Authorization',
  'Content-Type',
  'Idempotency-Key',
  'If-Match',
  'If-None-Match',
  'Last-Event-ID',
  'traceparent',
  'tracestate',
  'X-Request-Id',
];

/** The response headers that a page may read, beside the CORS-safelisted ones. */
const EXPOSED = [
  'Allow',
  'Deprecation',
  'ETag',
  'Event-Position',
  'Link',
  'Location',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'Sunset',
  'Vary',
  'WWW-Authenticate',
  'X-Request-Id',
];

/** The longest time for which Chromium caches a preflight, in seconds. */
const MAX_AGE_SECONDS = 7_200;

/**
 * Lets pages of these origins call the API from a browser. Preflights need no key, because browsers
 * send none with them. Keys are sent by the page itself and never by the browser (there are no
 * cookies), so credentials are not allowed.
 */
export function crossOrigin(origins: readonly string[]): RequestHandler {
  const answer = cors({
    origin: [...origins],
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'],
    allowedHeaders: READ,
    exposedHeaders: EXPOSED,
    maxAge: MAX_AGE_SECONDS,
  });
  return (req, res, next) => {
    // Other OPTIONS requests ask for a path's methods; the package would take them for preflights.
    const asksForMethods =
      req.method === 'OPTIONS' && req.headers['access-control-request-method'] === undefined;
    if (asksForMethods) next();
    else answer(req, res, next);
  };
}
