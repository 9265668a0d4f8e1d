import type { Logger } from 'pino';
import { withoutLongRuns } from '../app/secrets.ts';
import type { RequestContext } from './request-context.ts';
import { shownPath } from './requests/shown.ts';

/**
 * Logs one JSON line when a request is over: its id, who asked for what, how it ended, how long it
 * took. Of the client's own text it has the method, which is one of a few, and a safe form of the path.
 */
export function logWhenDone(logger: Logger, context: RequestContext): void {
  const begun = performance.now();
  const { req, res, requestId } = context;
  const { method, originalUrl = req.url } = req;
  res.on('close', () => {
    const status = res.statusCode;
    const { key, refusal, cause } = context;
    logger[status >= 500 ? 'error' : 'info'](
      {
        method,
        status,
        keyId: key?.id,
        // A client that went away before its answer was complete is not an answered one.
        outcome: res.writableFinished ? (refusal ?? 'ok') : 'aborted',
        requestId,
        path: shownPath(originalUrl),
        cause: cause === undefined ? undefined : withoutLongRuns(cause),
        // To a hundredth: V8 prints such a number from a cache.
        durationMs: Math.round((performance.now() - begun) * 100) / 100,
      },
      'request',
    );
  });
}
