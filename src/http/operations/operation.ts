/** The type of operations: description, handler, and the handler's context. */
import type { z } from 'zod';
import type { ApiKey, Scope } from '../../app/ports/key-store.ts';
import type { Deprecation } from '../answers/deprecation.ts';
import type { ErrorCode } from '../api-error.ts';
import type { RequestContext } from '../request-context.ts';

/** The schemas by which the parts of a request are parsed and described. */
export interface InputSchemas {
  /** The parameters of the path; absent if it has none. */
  readonly pathParameters?: z.ZodObject;
  /** The query; absent if any query is ignored. */
  readonly query?: z.ZodObject;
  /** The headers that the operation reads, beside those of every operation. */
  readonly headers?: z.ZodObject;
  /** The body; absent if there is none. */
  readonly body?: z.ZodType;
}

type OutputOf<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;

/**
 * The description of one operation of the API. The router serves it, and the OpenAPI document is
 * generated from it.
 */
export interface Description extends InputSchemas {
  readonly operationId: string;
  readonly method: 'get' | 'post' | 'put' | 'delete';
  /** Below the version's base path, with parameters in Express's syntax. */
  readonly path: string;
  /** The longest body that is read, if it is not MAX_BODY_BYTES. */
  readonly maxBodyBytes?: number;
  /** Absent if every key is allowed. */
  readonly scope?: Scope;
  readonly tag: 'orders' | 'pets' | 'audit' | 'keys';
  /** A summary in a few words. */
  readonly summary: string;
  /** The complete description for clients. */
  readonly description: string;
  /** Absent if it is stable. */
  readonly stability?: 'beta' | 'experimental';
  readonly deprecation?: Deprecation;
  /** Set if reference pages should not offer to try it. */
  readonly isTryItHidden?: true;
  readonly success: Success;
  /** Its own errors, beside those of every operation. */
  readonly refusals: readonly ErrorCode[];
}

/** The response of a successful operation. */
interface Success {
  readonly status: 200 | 201 | 204;
  readonly description: string;
  /** Absent if there is no body. */
  readonly schema?: z.ZodType;
  /** The media type of the body; absent: JSON. */
  readonly contentType?: string;
  /** An alternative form of the body, for clients that prefer it in Accept. */
  readonly alternative?: { readonly contentType: string; readonly schema: z.ZodType };
  readonly headers?: readonly AnswerHeader[];
  /** Set if it answers 304 to an If-None-Match that names the ETag. */
  readonly isConditional?: true;
}

/** Headers of some successful responses; the description explains each. */
type AnswerHeader =
  | 'ETag'
  | 'Cache-Control'
  | 'Vary'
  | 'Location'
  | 'Link'
  | 'Event-Position'
  | 'LastEventPosition';

/** The context of an authenticated request, parsed by the schemas of its operation. */
export interface ContextOf<Its extends Description> extends RequestContext {
  readonly key: ApiKey;
  readonly path: OutputOf<Its['pathParameters']>;
  readonly query: OutputOf<Its['query']>;
  readonly headers: OutputOf<Its['headers']>;
  readonly body: OutputOf<Its['body']>;
}

/**
 * An operation with its handler. A version of the API is a table of these.
 * @typeParam Services The services that the handler uses, and no others.
 */
export interface Operation<Services = never> extends Description {
  readonly handler: (services: Services, context: RequestContext) => void | Promise<void>;
}

/**
 * Returns an operation with its handler.
 * @param rest Passed to the handler after the services and the context.
 */
export function operation<Its extends Description, Services, Rest extends readonly unknown[]>(
  description: Its,
  handle: (services: Services, context: ContextOf<Its>, ...rest: Rest) => void | Promise<void>,
  ...rest: Rest
): Operation<Services> {
  // The router has parsed the request by this description.
  const handler = (services: Services, context: RequestContext) =>
    handle(services, context as ContextOf<Its>, ...rest);
  return { ...description, handler };
}
