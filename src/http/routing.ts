/** Routes: the paths of the service, each with its methods. */
import type {
  ErrorRequestHandler,
  Express,
  IRoute,
  Request,
  RequestHandler,
  Response,
} from 'express';
import type { z } from 'zod';
import { announce } from './answers/deprecation.ts';
import { type FixedAnswer, sendFixed } from './answers/fixed-answer.ts';
import { ApiError } from './api-error.ts';
import type { InputSchemas, Operation } from './operations/operation.ts';
import type { RequestContext } from './request-context.ts';
import { requireScope } from './requests/authentication.ts';
import { jsonBody, MAX_BODY_BYTES, requireJson } from './requests/body.ts';
import { RESTRICTIONS } from './requests/headers.ts';
import { shownNames } from './requests/shown.ts';

/** The handlers that all operations of a version share, and their clock. */
export interface ServedBehind {
  /** Every request passes it, even one for an unknown path. It refuses by throwing. */
  readonly gate: RequestHandler;
  readonly answerError: ErrorRequestHandler;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * Serves the operations of a version below its base path, behind the gate. For other methods of a
 * known path, the response is a 405 with Allow.
 *
 * All routes are in the app's own router, which costs a request less than a nested router.
 */
export function serveOperations<Services>(
  app: Express,
  base: string,
  operations: readonly Operation<Services>[],
  services: Services,
  { gate, answerError, now }: ServedBehind,
): void {
  const byPath = Object.groupBy(operations, ({ path }) => path);
  for (const [path, offered = []] of Object.entries(byPath)) {
    const route = app.route(patternOf(`${base}${path}`));
    for (const operation of offered) {
      const name = routeNameOf(base, operation);
      route[operation.method](...behind(gate, name, stepsOf(operation, services, now)));
    }
    route.all(gate);
    allowOnly(
      route,
      offered.map(({ method }) => method),
    );
  }
  app.use(base, gate);
  // Errors are answered here: to pass them on to the handler behind all routes took about a tenth of a
  // refusal's time. A target that is not a valid path, such as /%zz, fails before the gate.
  const failed: ErrorRequestHandler = (error, req, res, next) => {
    const answer = () => answerError(error, req, res, next);
    return error instanceof ApiError ? answer() : gate(req, res, answer);
  };
  app.use(base, failed);
}

/**
 * Returns the route of each operation of a version, by its name in {@link
 * RequestContext.operation}.
 */
export function routesOf(
  base: string,
  operations: readonly Pick<Operation, 'operationId' | 'path'>[],
): readonly (readonly [name: string, route: string])[] {
  return operations.map((each) => [routeNameOf(base, each), `${base}${each.path}`]);
}

function routeNameOf(base: string, { operationId }: Pick<Operation, 'operationId'>): string {
  return `${base.slice(1)} ${operationId}`;
}

/**
 * Returns a path with parameters as a regular expression. Express's own patterns match the same
 * paths, but put the parameters into an object that is slow to extend: 2 % of this thread's time.
 */
function patternOf(path: string): Parameters<Express['route']>[0] {
  return new RegExp(`^${path.replaceAll(/\/:(\w+)/g, '/(?<$1>[^/]+)')}$`);
}

type Steps = readonly [RequestHandler, ...RequestHandler[]];

/**
 * Joins the gate and the step after it: each step of Express takes 1 to 2 µs. The operation is
 * noted before the gate, so that metrics attribute requests without a key to it.
 */
function behind(gate: RequestHandler, name: string, [first, ...rest]: Steps): Steps {
  const both: RequestHandler = (req, res, next) => {
    req.context.operation = name;
    return gate(req, res, () => first(req, res, next));
  };
  return [both, ...rest];
}

/** Returns the steps of an operation after the gate: its checks, its body, its handler. */
function stepsOf<Services>(
  operation: Operation<Services>,
  services: Services,
  now: () => number,
): Steps {
  const { scope, deprecation, query, body, handler, maxBodyBytes = MAX_BODY_BYTES } = operation;
  const unread = restrictionsNotReadBy(operation);
  const check = (req: Request) => {
    if (scope !== undefined) requireScope(req.context, scope);
    requireAbsent(unread, req);
    if (query !== undefined) req.context.query = parsed(query, req.query);
  };
  const handle = ({ context }: Request) => {
    parseInput(context, operation);
    return handler(services, context);
  };
  const checkBeforeBody: RequestHandler = (req, _res, next) => {
    check(req);
    requireJson(req, maxBodyBytes);
    next();
  };
  const checkAndHandle: RequestHandler = (req) => {
    check(req);
    return handle(req);
  };
  const steps: Steps =
    body === undefined ? [checkAndHandle] : [checkBeforeBody, jsonBody(maxBodyBytes), handle];
  return deprecation === undefined ? steps : [announce(deprecation, now), ...steps];
}

/**
 * Returns the headers that restrict a change and that an operation does not read. Reads change
 * nothing, so there they are ignored.
 */
function restrictionsNotReadBy({ method, headers }: Operation<never>): readonly string[] {
  const read = Object.keys(headers?.shape ?? {});
  return method === 'get' ? [] : RESTRICTIONS.filter((name) => !read.includes(name));
}

/** Throws a 400 for a request that has one of these headers. */
function requireAbsent(headers: readonly string[], req: Request): void {
  for (const name of headers) {
    if (req.headers[name.toLowerCase()] !== undefined) {
      throw new ApiError(
        'invalid_request',
        `${name}: must be absent, because this operation does not read it`,
      );
    }
  }
}

/**
 * Parses the path, the body and the headers of a request into its context. The query is parsed
 * before the body is read: see stepsOf.
 */
function parseInput(context: RequestContext, schemas: InputSchemas): void {
  const { req } = context;
  const { pathParameters, body, headers } = schemas;
  if (pathParameters !== undefined) context.path = parsed(pathParameters, req.params);
  if (body !== undefined) context.body = parsed(body, req.body, 'property');
  if (headers !== undefined) context.headers = parsedHeaders(headers, req);
}

const NO_HEADERS = {};

function parsedHeaders(schema: z.ZodObject, req: Request): unknown {
  let given: Record<string, unknown> | undefined;
  for (const name of Object.keys(schema.shape)) {
    const value = req.headers[name.toLowerCase()];
    if (value !== undefined) given = { ...given, [name]: value };
  }
  // All these headers are optional, and most requests have none of them.
  return given === undefined ? NO_HEADERS : parsed(schema, given);
}

/**
 * Parses a part of a request. Throws a 400 that names everything unknown, malformed or repeated in
 * it.
 */
function parsed(
  schema: z.ZodType,
  given: unknown,
  noun: 'parameter' | 'property' = 'parameter',
): unknown {
  const result = schema.safeParse(given);
  if (result.success) return result.data;
  // Of several rules that one value breaks, the first counts: the others were made for its form.
  const wrong = new Map<string, string>();
  for (const issue of result.error.issues) {
    const { code, path, message } = issue;
    const where = path.length === 0 ? '' : `${path.join('.')}: `;
    if (wrong.has(where)) continue;
    const isNoObject = code === 'invalid_type' && issue.expected === 'object';
    if (code === 'unrecognized_keys') wrong.set(where, shownNames(issue.keys, `unknown ${noun}`));
    else if (where === '') wrong.set(where, 'the body must be a JSON object');
    else wrong.set(where, isNoObject ? 'must be a JSON object' : message);
  }
  const named = Array.from(wrong, ([where, message]) => where + message);
  throw new ApiError('invalid_request', named.join('; '));
}

/**
 * Serves a document without a key, or several of them by a pattern.
 * @param answer Returns `undefined` where there is no document at the address.
 * @param before Handlers that add headers of their own.
 */
export function serveFixed(
  app: Express,
  path: string | RegExp,
  answer: (req: Request) => Promise<FixedAnswer | undefined>,
  ...before: readonly RequestHandler[]
): void {
  // Express's types take a pattern for a string.
  const route = app.route(path as string);
  route.get(...before, async (req, res, next) => {
    const found = await answer(req);
    if (found === undefined) next('route');
    else sendFixed(req, res, found);
  });
  allowOnly(route, ['get']);
}

/** Answers OPTIONS with the methods of a route, and every other method with 405. */
export function allowOnly(route: IRoute, methods: readonly Operation['method'][]): void {
  const named = methods.map((method) => method.toUpperCase());
  const head = named.includes('GET') ? ['HEAD'] : [];
  const allow = [...head, 'OPTIONS', ...named].sort().join(', ');
  route.options((_req, res) => void res.setHeader('Allow', allow).status(204).end());
  route.all((_req, res: Response) => {
    res.setHeader('Allow', allow);
    throw new ApiError('method_not_allowed', `This address allows ${allow}.`);
  });
}
