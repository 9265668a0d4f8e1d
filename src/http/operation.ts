import type {
  ErrorRequestHandler,
  Express,
  IRoute,
  Request,
  RequestHandler,
  Response,
} from 'express';
import type { z } from 'zod';
import type { Scope } from '../app/api-key.ts';
import { ApiError, type ErrorCode } from './api-error.ts';
import { requireScope } from './authentication.ts';
import { announce, type Deprecation } from './deprecation.ts';
import { jsonBody, requireJson } from './request-body.ts';
import { readQuery } from './request-parameters.ts';

/**
 * One thing that clients can ask for. A version of the API is a list of these, and the list is the
 * only one: the router serves it, and the description says what it says.
 */
export interface Operation<UseCases = never> {
  readonly operationId: string;
  readonly method: 'get' | 'post' | 'put' | 'delete';
  /** Below the version's base path, with parameters as Express writes them. */
  readonly path: string;
  readonly scope: Scope;
  readonly tag: 'orders' | 'pets' | 'audit';
  /** What it does, in a few words; and all that there is to know, in sentences. */
  readonly summary: string;
  readonly description: string;
  /** Absent where it is stable. */
  readonly stability?: 'beta' | 'experimental';
  readonly deprecation?: Deprecation;
  /** Whether a reference page should not let its readers try it. */
  readonly isTryItHidden?: true;
  /** The parameters of its path, where it has some. */
  readonly pathParameters?: z.ZodObject;
  /** The headers that it looks at, beside those that every operation does. */
  readonly headers?: z.ZodObject;
  /** What its query must be; absent where no query is looked at. */
  readonly query?: z.ZodObject;
  /** What its body must be, where it takes one. */
  readonly body?: z.ZodType;
  readonly success: Success;
  /** How it can be refused, beside what can befall every operation. */
  readonly refusals: readonly ErrorCode[];
  handle(useCases: UseCases, req: Request, res: Response): void | Promise<void>;
}

/** What an operation answers when all is well. */
interface Success {
  readonly status: 200 | 201 | 204;
  readonly description: string;
  /** Absent where there is no body. */
  readonly schema?: z.ZodType;
  /** What the body is; JSON where this is absent. */
  readonly contentType?: string;
  /** What else it can be, for clients who prefer that in Accept. */
  readonly alternative?: { readonly contentType: string; readonly schema: z.ZodType };
  readonly headers?: readonly AnswerHeader[];
  /** Whether it answers 304 to an If-None-Match that names the ETag. */
  readonly isConditional?: true;
}

/** Headers that some successes have; the description explains each. */
export type AnswerHeader =
  | 'ETag'
  | 'Cache-Control'
  | 'Vary'
  | 'Location'
  | 'Link'
  | 'Event-Position';

/**
 * Serves the operations of a version below its base path, behind a gate which every request there
 * has to pass, whatever it asks for. A path that exists answers other methods with 405 and what it
 * allows.
 *
 * All paths stand in the app's own router, which costs a request less than one router in another.
 */
export function serveOperations<UseCases>(
  app: Express,
  base: string,
  operations: readonly Operation<UseCases>[],
  useCases: UseCases,
  gate: RequestHandler,
  now: () => number,
): void {
  for (const [path, offered] of Object.entries(Object.groupBy(operations, ({ path }) => path))) {
    const route = app.route(patternOf(`${base}${path}`));
    for (const operation of offered ?? []) {
      route[operation.method](...behind(gate, stepsOf(operation, useCases, now)));
    }
    route.all(gate);
    allowOnly(
      route,
      (offered ?? []).map(({ method }) => method),
    );
  }
  app.use(base, gate);
  // What is no path at all, such as /%zz, has not come to the gate when it fails.
  const failed: ErrorRequestHandler = (error, req, res, next) => {
    if (error instanceof ApiError) return next(error);
    return gate(req, res, (refused) => next(refused ?? error));
  };
  app.use(base, failed);
}

/**
 * A path with parameters as a pattern. To Express it is the same, but what it makes of its own patterns
 * has no prototype, and takes V8 a microsecond to write a parameter into.
 */
function patternOf(path: string): Parameters<Express['route']>[0] {
  return new RegExp(`^${path.replaceAll(/:(\w+)/g, '(?<$1>[^/]+)')}$`);
}

/** What Express is to do for a request, one after the other. */
type Steps = readonly [RequestHandler, ...RequestHandler[]];

/** The gate and the first step behind it as one step: each that Express takes costs a little. */
function behind(gate: RequestHandler, [first, ...rest]: Steps): Steps {
  const both: RequestHandler = (req, res, next) =>
    gate(req, res, (refused) => (refused === undefined ? first(req, res, next) : next(refused)));
  return [both, ...rest];
}

/** What is done for a request behind the gate, in as few steps as it takes. */
function stepsOf<UseCases>(
  operation: Operation<UseCases>,
  useCases: UseCases,
  now: () => number,
): Steps {
  const { scope, deprecation, query, body } = operation;
  const check = (req: Request, res: Response) => {
    requireScope(res, scope);
    if (query !== undefined) readQuery(req, res, query);
  };
  const handle: RequestHandler = (req, res) => operation.handle(useCases, req, res);
  const checkAndHandle: RequestHandler = (req, res, next) => {
    check(req, res);
    return handle(req, res, next);
  };
  const checkAll: RequestHandler = (req, res, next) => {
    check(req, res);
    requireJson(req);
    next();
  };
  const steps: Steps = body === undefined ? [checkAndHandle] : [checkAll, jsonBody(), handle];
  return deprecation === undefined ? steps : [announce(deprecation, now), ...steps];
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
