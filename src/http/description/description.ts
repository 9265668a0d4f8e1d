/** The OpenAPI document of a version, generated from its operations. */
import { z } from 'zod';
import {
  createDocument,
  type ZodOpenApiObject,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
  type ZodOpenApiResponsesObject,
} from 'zod-openapi';
import { MAX_INT64, MIN_INT64 } from '../../domain/order-id.ts';
import type { Description } from '../operations/operation.ts';
import { ErrorAnswers } from './error-answers.ts';
import { type Examples, examplesOf } from './examples.ts';
import { HEADERS, type HeaderName, headersOf } from './headers.ts';
import { linksOf } from './links.ts';

/** A version of the API: its operations, and the text about it as a whole. */
export interface DescribedVersion {
  /** Its name in paths. */
  readonly name: 'v1' | 'v2';
  readonly version: string;
  readonly stability?: 'beta';
  readonly description: string;
  readonly operations: readonly Description[];
}

export interface Server {
  readonly url: string;
  readonly description: string;
}

/** Returns the description of a version, in OpenAPI 3.1, as JSON text. */
export function describeVersion(version: DescribedVersion, servers: readonly Server[]): string {
  const { components, ...document } = createDocument(documentOf(version, servers));
  const used = JSON.stringify({ document, components }, exact);
  const headers = Object.entries(HEADERS).filter(([name]) => {
    return used.includes(`#/components/headers/${name}"`);
  });
  const whole = {
    ...document,
    components: { ...components, headers: Object.fromEntries(headers) },
  };
  return `${JSON.stringify(whole, exact, 2)}\n`;
}

declare global {
  interface JSON {
    /** Of the "JSON.parse source text access" proposal; TypeScript lacks its type. */
    rawJSON(text: string): unknown;
  }
}

// The numbers that JSON.stringify would round: ids in examples, and the limits of int64.
function exact(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return JSON.rawJSON(String(value));
  if (value === Number(MAX_INT64)) return JSON.rawJSON(String(MAX_INT64));
  if (value === Number(MIN_INT64)) return JSON.rawJSON(String(MIN_INT64));
  return value;
}

function documentOf(
  { name, version, stability, description, operations }: DescribedVersion,
  servers: readonly Server[],
): ZodOpenApiObject {
  const tags = TAGS.filter(({ name }) => operations.some(({ tag }) => tag === name));
  return {
    openapi: '3.1.0',
    info: {
      title: 'Store Orders',
      version,
      summary: 'The orders of a pet store.',
      description,
      license: { name: 'Apache 2.0', identifier: 'Apache-2.0' },
      'x-stability': stability,
    },
    servers: servers.map((server) => ({ ...server, 'x-internal': false })),
    security: [{ bearer: [] }],
    tags: tags.map(({ name, description }) => ({ name, description })),
    'x-tagGroups': tags.map(({ group, name }) => ({ name: group, tags: [name] })),
    paths: pathsOf(operations, examplesOf(name)),
    components: {
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description:
            'An API key, as `Authorization: Bearer <API_KEY>`. Where it is missing or not valid: 401 ' +
            '`unauthorized`. Where it lacks the scope of the operation: 403 `insufficient_scope`.',
        },
      },
    },
  };
}

/** The tags, each with the group in which documentation shows it. */
const TAGS: readonly { name: Description['tag']; group: string; description: string }[] = [
  { name: 'orders', group: 'Store', description: 'The orders placed in the store.' },
  { name: 'pets', group: 'Pets', description: 'The animals that orders name.' },
  {
    name: 'audit',
    group: 'Audit',
    description: 'What happened, as it was recorded, and the proof of it.',
  },
  { name: 'keys', group: 'Keys', description: 'The API keys of clients.' },
];

function pathsOf(operations: readonly Description[], examples: Examples): ZodOpenApiPathsObject {
  const paths: ZodOpenApiPathsObject = {};
  const errors = new ErrorAnswers(examples);
  for (const operation of operations) {
    const path = operation.path.replaceAll(/\/:(\w+)/g, '/{$1}');
    paths[path] = {
      ...paths[path],
      [operation.method]: describeOperation(operation, operations, examples, errors),
    };
  }
  return paths;
}

function describeOperation(
  operation: Description,
  operations: readonly Description[],
  examples: Examples,
  errors: ErrorAnswers,
): ZodOpenApiOperationObject {
  const { operationId, tag, summary, description, scope, stability, deprecation } = operation;
  const { pathParameters, headers, query, body, success, isTryItHidden } = operation;
  const instead =
    deprecation === undefined ? '' : `\n\nIt ends on ${deprecation.sunset}. ${deprecation.instead}`;
  const needed = scope === undefined ? 'of any scope' : `with the scope \`${scope}\``;
  const content = examples.requestOf(operationId);
  return {
    operationId,
    tags: [tag],
    summary,
    description: `${description}${instead}\n\nNeeds a key ${needed}.`,
    ...(deprecation && { deprecated: true, 'x-deprecated-sunset': deprecation.sunset }),
    'x-stability': stability,
    'x-hideTryItPanel': isTryItHidden,
    requestParams: {
      ...(pathParameters && { path: pathParameters }),
      ...(query && { query }),
      ...(success.isConditional && { header: ConditionalHeaders }),
      ...(headers && { header: headers }),
    },
    ...(body && {
      requestBody: {
        required: true,
        content: { 'application/json': { schema: body, ...content } },
      },
    }),
    responses: { ...successesOf(operation, operations, examples), ...errors.of(operation) },
  };
}

const ConditionalHeaders = z.object({
  'If-None-Match': z
    .string()
    .max(16_384)
    .regex(/^.*$/)
    .optional()
    .describe(
      'ETags that the client has. If the current one is among them, the answer is 304. What is no ' +
        'ETag matches nothing.',
    ),
});

function successesOf(
  operation: Description,
  operations: readonly Description[],
  examples: Examples,
): ZodOpenApiResponsesObject {
  const { success, deprecation } = operation;
  const links = linksOf(operation, operations);
  const always: readonly HeaderName[] = [
    'X-Request-Id',
    'RateLimit-Policy',
    'RateLimit',
    ...(deprecation === undefined ? [] : (['Deprecation', 'Sunset', 'DeprecationLink'] as const)),
  ];
  const { schema, contentType = 'application/json', alternative } = success;
  const others = alternative && { [alternative.contentType]: { schema: alternative.schema } };
  const body = { schema, ...examples.answerOf(operation.operationId, success.status) };
  return {
    [success.status]: {
      description: success.description,
      headers: headersOf([...always, ...(success.headers ?? [])]),
      ...(schema && { content: { [contentType]: body, ...others } }),
      ...(links && { links }),
    },
    ...(success.isConditional && {
      304: {
        description: 'Nothing has changed: the client has the current state.',
        headers: headersOf([...always, ...conditional(success.headers ?? [])]),
      },
    }),
  };
}

// RFC 9110, section 15.4.5: a 304 has the caching headers of the 200.
function conditional(headers: readonly HeaderName[]): readonly HeaderName[] {
  return headers.filter((name) => ['ETag', 'Cache-Control', 'Vary'].includes(name));
}
