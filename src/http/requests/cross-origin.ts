import cors from 'cors';
import type { RequestHandler } from 'express';

/** The headers of an answer that a page may read, beside those that any page may. */
const EXPOSED = [
  'Deprecation',
  'ETag',
  'Event-Position',
  'Link',
  'Location',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'Sunset',
  'WWW-Authenticate',
  'X-Request-Id',
];

/** The longest that Chromium keeps the answer to a preflight. */
const MAX_AGE_SECONDS = 7_200;

/**
 * Lets the pages of these origins call the API from a browser. A preflight needs no key: browsers
 * send none with it. Keys are sent by the page itself, never by the browser on its own (there are
 * no cookies), so no credentials are allowed.
 */
export function crossOrigin(origins: readonly string[]): RequestHandler {
  const answer = cors({
    origin: [...origins],
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'],
    allowedHeaders: [
      'Authorization',
      'Content-Type',
      'Idempotency-Key',
      'If-Match',
      'If-None-Match',
      'Last-Event-ID',
    ],
    exposedHeaders: EXPOSED,
    maxAge: MAX_AGE_SECONDS,
  });
  return (req, res, next) => {
    // Any other OPTIONS is for the methods that a path allows. The package takes each for a preflight.
    const asksForMethods =
      req.method === 'OPTIONS' && req.headers['access-control-request-method'] === undefined;
    if (asksForMethods) next();
    else answer(req, res, next);
  };
}
