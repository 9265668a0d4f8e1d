import cors from 'cors';
import type { RequestHandler } from 'express';

/** What a page may read of an answer, beside what any page may. */
const EXPOSED = [
  'Deprecation',
  'ETag',
  'Event-Position',
  'Link',
  'Location',
  'Retry-After',
  'Sunset',
  'WWW-Authenticate',
  'X-Request-Id',
];

/** How long a browser may remember what it was told, in seconds: the longest that Chromium takes. */
const MAX_AGE = 7_200;

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
    maxAge: MAX_AGE,
  });
  return (req, res, next) => {
    // Any other OPTIONS asks what a path allows. To the package, each of them is a preflight.
    const asksForMethods =
      req.method === 'OPTIONS' && req.headers['access-control-request-method'] === undefined;
    if (asksForMethods) next();
    else answer(req, res, next);
  };
}
