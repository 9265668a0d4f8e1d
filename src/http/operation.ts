import { type IRoute, type Request, type RequestHandler, type Response, Router } from 'express';
import type { z } from 'zod';
import type { Scope } from '../app/api-key.ts';
import { ApiError } from './api-error.ts';
import { requireScope } from './authentication.ts';
import { jsonBody } from './request-body.ts';

/** One thing that clients can ask for. A version of the API is a list of these. */
export interface Operation {
  readonly operationId: string;
  readonly method: 'get' | 'post' | 'put' | 'delete';
  /** Below the version's base path, with parameters as Express writes them. */
  readonly path: string;
  readonly scope: Scope;
  /** What its body must be, where it takes one. */
  readonly body?: z.ZodType;
  handle(req: Request, res: Response): void | Promise<void>;
}

/**
 * Serves operations behind gates, which every request below has to pass, whatever it asks for.
 * A path that exists answers other methods with 405 and what it allows.
 */
export function routerOf(
  operations: readonly Operation[],
  gates: readonly RequestHandler[],
): Router {
  const router = Router({ strict: true, caseSensitive: true });
  router.use(...gates);
  for (const [path, offered] of Object.entries(Object.groupBy(operations, ({ path }) => path))) {
    const route = router.route(path);
    for (const { method, scope, body, handle } of offered ?? []) {
      const handlers: RequestHandler[] = [
        (_req, res, next) => {
          requireScope(res, scope);
          next();
        },
        ...(body === undefined ? [] : jsonBody()),
        (req, res) => handle(req, res),
      ];
      route[method](...handlers);
    }
    allowOnly(
      route,
      (offered ?? []).map(({ method }) => method),
    );
  }
  return router;
}

/** Lets a path tell its methods when asked for its OPTIONS, and answer all others with 405. */
export function allowOnly(route: IRoute, methods: readonly Operation['method'][]): void {
  const named = methods.map((method) => method.toUpperCase());
  const head = named.includes('GET') ? ['HEAD'] : [];
  const allow = [...head, 'OPTIONS', ...named].sort().join(', ');
  route.options((_req, res) => void res.setHeader('Allow', allow).status(204).end());
  route.all((_req, res) => {
    res.setHeader('Allow', allow);
    throw new ApiError('method_not_allowed', `This address allows ${allow}.`);
  });
}
