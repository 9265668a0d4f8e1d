import { z } from 'zod';
import type { ZodOpenApiResponseObject, ZodOpenApiResponsesObject } from 'zod-openapi';
import { BatchRefusedAnswer } from '../answers/batch-schemas.ts';
import { ErrorAnswer } from '../answers/schemas.ts';
import { ERRORS, type ErrorCode } from '../api-error.ts';
import type { Description } from '../operations/operation.ts';
import type { Examples } from './examples.ts';
import { type HeaderName, headersOf } from './headers.ts';

// The error codes of every operation. The server itself sends 408 and 431, before any operation is
// known.
const ALWAYS: readonly ErrorCode[] = [
  'invalid_request',
  'unauthorized',
  'rate_limited',
  'internal_error',
  'service_unavailable',
];
/** The headers of a response to a key that has a rate. */
const RATE: readonly HeaderName[] = ['RateLimit-Policy', 'RateLimit'];
const WITH_SCOPE: readonly ErrorCode[] = ['insufficient_scope'];
const WITH_BODY: readonly ErrorCode[] = ['payload_too_large', 'unsupported_media_type'];

/** Describes the responses of 400 and above. Operations share identical ones. */
export class ErrorAnswers {
  readonly #examples: Examples;
  readonly #known = new Map<string, ZodOpenApiResponseObject>();

  constructor(examples: Examples) {
    this.#examples = examples;
  }

  /** Returns the errors of an operation by status. */
  of({ scope, body, refusals, deprecation }: Description): ZodOpenApiResponsesObject {
    const codes = [
      ...ALWAYS,
      ...(scope === undefined ? [] : WITH_SCOPE),
      ...(body === undefined ? [] : WITH_BODY),
      ...refusals,
    ];
    const byStatus = Object.groupBy(codes, (code) => ERRORS[code][0]);
    const isDeprecated = deprecation !== undefined;
    const answers: ZodOpenApiResponsesObject = {
      // If only its body is late, its key is known.
      408: this.#unread(408, 'RequestTimeout', 'The request took too long to arrive.', RATE),
      431: this.#unread(431, 'HeadersTooLarge', 'The request headers are too large.'),
    };
    for (const [status, its = []] of Object.entries(byStatus)) {
      answers[status as `${1 | 2 | 3 | 4 | 5}${string}`] = this.#refused(
        Number(status),
        its,
        isDeprecated,
      );
    }
    return answers;
  }

  #refused(
    status: number,
    codes: readonly ErrorCode[],
    isDeprecated: boolean,
  ): ZodOpenApiResponseObject {
    // Requests without a valid key are answered before their operation is known, and so are some
    // unreadable ones and some that a failure has refused.
    const isOfOperation = isDeprecated && ![401, 429].includes(status);
    const announced: readonly HeaderName[] = [400, 503].includes(status)
      ? ['OptionalDeprecation', 'OptionalSunset', 'OptionalDeprecationLink']
      : ['Deprecation', 'Sunset', 'DeprecationLink'];
    const id = `${codes.map(pascalCase).join('Or')}${isOfOperation ? 'OfDeprecated' : ''}`;
    const headers: readonly HeaderName[] = [
      'X-Request-Id',
      'NoStore',
      ...(status === 401 ? [] : RATE),
      ...(HEADERS_OF[status] ?? []),
      ...(isOfOperation ? announced : []),
    ];
    const description = codes.map((code) => `\`${code}\`: ${ERRORS[code][1]}`).join('\n\n');
    return this.#shared(id, status, codes, { description, headers: headersOf(headers) });
  }

  /** Describes the server's response to bytes that are not a request. */
  #unread(
    status: number,
    id: string,
    description: string,
    more: readonly HeaderName[] = [],
  ): ZodOpenApiResponseObject {
    const headers = headersOf(['X-Request-Id', 'NoStore', ...more]);
    return this.#shared(id, status, ['invalid_request'], { description, headers });
  }

  #shared(
    id: string,
    status: number,
    codes: readonly ErrorCode[],
    rest: Omit<ZodOpenApiResponseObject, 'content'> & { description: string },
  ): ZodOpenApiResponseObject {
    const schema = schemaOf(status, codes);
    const json = { schema, ...this.#examples.ofErrors(status, codes) };
    const answer = this.#known.get(id) ?? { id, ...rest, content: { 'application/json': json } };
    this.#known.set(id, answer);
    return answer;
  }
}

const HEADERS_OF: Readonly<Record<number, readonly HeaderName[]>> = {
  401: ['WWW-Authenticate'],
  403: ['WWW-Authenticate'],
  429: ['Retry-After'],
  503: ['Retry-After'],
};

/** Returns the schema of an Error of one status, with the codes of that status. */
function schemaOf(status: number, codes: readonly ErrorCode[]) {
  if (codes.includes('batch_refused')) return BatchRefusedAnswer;
  const narrow = z.looseObject({
    code: z.enum(codes as [ErrorCode, ...ErrorCode[]]),
    status: z.literal(status),
  });
  return z.intersection(ErrorAnswer, narrow);
}

function pascalCase(code: string): string {
  return code.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
