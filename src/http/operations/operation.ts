/** The form of an operation: its description, its handler, and the context that the handler gets. */
import type { z } from 'zod';
import type { ApiKey, Scope } from '../../app/ports/key-store.ts';
import type { Deprecation } from '../answers/deprecation.ts';
import type { ErrorCode } from '../api-error.ts';
import type { RequestContext } from '../request-context.ts';

/** The schemas by which the parts of a request are parsed and described. */
export interface InputSchemas {
  /** The parameters of the path; absent where it has none. */
  readonly pathParameters?: z.ZodObject;
  /** The query; absent where any query is ignored. */
  readonly query?: z.ZodObject;
  /** The headers that an operation reads, beside those that every operation does. */
  readonly headers?: z.ZodObject;
  /** The body; absent where there is none. */
  readonly body?: z.ZodType;
}

type OutputOf<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;

/**
 * One operation of the API as clients know it. The router serves what this says, and the OpenAPI
 * document is made from it.
 */
export interface Description extends InputSchemas {
  readonly operationId: string;
  readonly method: 'get' | 'post' | 'put' | 'delete';
  /** Below the version's base path, with parameters as Express writes them. */
  readonly path: string;
  /** Absent where every key will do. */
  readonly scope?: Scope;
  readonly tag: 'orders' | 'pets' | 'audit' | 'keys';
  /** The operation in a few words. */
  readonly summary: string;
  /** Everything that a client has to know, in sentences. */
  readonly description: string;
  /** Absent where it is stable. */
  readonly stability?: 'beta' | 'experimental';
  readonly deprecation?: Deprecation;
  /** Set where a reference page should not let its readers try it. */
  readonly isTryItHidden?: true;
  readonly success: Success;
  /** The refusals that are its own, beside those that every operation can end in. */
  readonly refusals: readonly ErrorCode[];
}

/** The answer of an operation that has succeeded. */
interface Success {
  readonly status: 200 | 201 | 204;
  readonly description: string;
  /** Absent where there is no body. */
  readonly schema?: z.ZodType;
  /** The media type of the body; JSON where this is absent. */
  readonly contentType?: string;
  /** Another form of the body, for clients who prefer it in Accept. */
  readonly alternative?: { readonly contentType: string; readonly schema: z.ZodType };
  readonly headers?: readonly AnswerHeader[];
  /** Set where it answers 304 to an If-None-Match that names the ETag. */
  readonly isConditional?: true;
}

/** Headers that some successes have; the description explains each. */
type AnswerHeader = 'ETag' | 'Cache-Control' | 'Vary' | 'Location' | 'Link' | 'Event-Position';

/** A request that may be carried out: authenticated, and parsed by the schemas of its operation. */
export interface ContextOf<Its extends Description> extends RequestContext {
  readonly key: ApiKey;
  readonly path: OutputOf<Its['pathParameters']>;
  readonly query: OutputOf<Its['query']>;
  readonly headers: OutputOf<Its['headers']>;
  readonly body: OutputOf<Its['body']>;
}

/**
 * An operation with the function that carries it out. A version of the API is a table of these.
 * @typeParam Services The services that the function uses, and no others.
 */
export interface Operation<Services = never> extends Description {
  readonly handler: (services: Services, context: RequestContext) => void | Promise<void>;
}

/**
 * Returns a row of that table.
 * @param rest Passed to the function behind the services and the context.
 */
export function operation<Its extends Description, Services, Rest extends readonly unknown[]>(
  description: Its,
  handle: (services: Services, context: ContextOf<Its>, ...rest: Rest) => void | Promise<void>,
  ...rest: Rest
): Operation<Services> {
  // The router has parsed the request by the same description when it calls this.
  const handler = (services: Services, context: RequestContext) =>
    handle(services, context as ContextOf<Its>, ...rest);
  return { ...description, handler };
}
