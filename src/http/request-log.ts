import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Response } from 'express';
import type { Logger } from 'pino';
import { pinoHttp } from 'pino-http';
import { type ApiKey, withoutKeys } from '../app/api-key.ts';

/**
 * One JSON line a request: its id, who asked for what, what came of it, how long it took. Nothing
 * that could hold a key is ever looked at, but for the path, in which keys are blotted out.
 */
export function requestLog(logger: Logger) {
  return pinoHttp({
    logger,
    genReqId: (_req, res) => {
      const id = randomUUID();
      res.setHeader('X-Request-Id', id);
      return id;
    },
    quietReqLogger: true,
    quietResLogger: true,
    customAttributeKeys: { reqId: 'requestId', responseTime: 'durationMs' },
    customLogLevel: (_req, res, error) =>
      error !== undefined || res.statusCode >= 500 ? 'error' : 'info',
    customSuccessMessage: () => 'request',
    customErrorMessage: () => 'request',
    customProps: (req, res) => facts(req, res),
    serializers: { req: () => undefined, res: () => undefined, err: ({ message, type }) => ({ message, type }) },
  });
}

function facts(req: IncomingMessage, res: ServerResponse<IncomingMessage>) {
  const { locals } = res as Response;
  const path = withoutKeys((req as { originalUrl?: string }).originalUrl ?? req.url ?? '');
  return {
    method: req.method,
    path: path.split('?', 1)[0],
    status: res.statusCode,
    keyId: (locals.key as ApiKey | undefined)?.id,
    outcome: locals.outcome ?? 'ok',
  };
}
