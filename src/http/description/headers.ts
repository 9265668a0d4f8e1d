/** Describes the headers of answers. */
import { MAX_POSITION } from '../../app/log/positions.ts';
import { MAX_GROUP_COMMANDS } from '../../app/log/submission.ts';

interface HeaderDescription {
  readonly description: string;
  readonly schema: Readonly<Record<string, unknown>>;
  /** True for a header that every response of its kind has. */
  readonly required?: true;
  readonly example?: string;
}

/** A batch of the most items, for a key with one request an hour. */
const MAX_RETRY_AFTER_S = MAX_GROUP_COMMANDS * 3_600;

const text = (maxLength: number, pattern: string) => ({ type: 'string', maxLength, pattern });

const DEPRECATION = {
  description: 'Since when the operation is deprecated (RFC 9745): `@` and a Unix time.',
  schema: text(20, '^@\\d+$'),
};
const SUNSET = {
  description: 'When the operation ends (RFC 8594).',
  schema: text(40, ' GMT$'),
};
const DEPRECATION_LINK = {
  description: 'Where the deprecation and the end are explained (RFC 9745, RFC 8594).',
  schema: text(1_000, 'rel="(?:deprecation|sunset)"'),
};

/** The headers of responses, with their descriptions. */
export const HEADERS = {
  ETag: {
    description: 'Names this state, strongly. Send it back as `If-None-Match`.',
    schema: text(100, '^"[\\x21\\x23-\\x7e]+"$'),
    required: true,
    example: '"fb4b0e07caf02b8d-1"',
  },
  'Cache-Control': {
    description: 'The answer is for this client alone, and is to be asked for again each time.',
    schema: { type: 'string', const: 'private, no-cache' },
    required: true,
  },
  Vary: {
    description:
      'The headers of the request that the answer depends on: it may be compressed, for those who ' +
      'accept gzip, or have another form.',
    schema: text(100, '\\bAccept(?:-Encoding)?\\b'),
    required: true,
    example: 'Accept-Encoding',
  },
  Location: {
    description: 'The address of the new order.',
    schema: text(100, '^/v\\d+/store/orders/-?\\d+$'),
    required: true,
    example: '/v1/store/orders/1',
  },
  Link: {
    description:
      'The next page (RFC 8288), where there is one. It is relative to the address that was asked.',
    schema: text(16_384, '^<\\?[^<>]+>; rel="next"$'),
    example: '<?limit=2&after=AQAAAAAAAAACDbnwnA>; rel="next"',
  },
  'Event-Position': {
    description:
      'Where in the log the event stands that makes it so: what proofs and receipts go by.',
    schema: { type: 'integer', format: 'int64', minimum: 1, maximum: MAX_POSITION },
    required: true,
  },
  LastEventPosition: {
    description: 'The highest `position` of the results; absent where every item was refused.',
    schema: { type: 'integer', format: 'int64', minimum: 1, maximum: MAX_POSITION },
  },
  'X-Request-Id': {
    description: "The id of the request. It finds the request in the service's log.",
    schema: { type: 'string', format: 'uuid', maxLength: 36 },
    required: true,
    example: '07b09690-dd7c-4e1c-a270-164e36738600',
  },
  'RateLimit-Policy': {
    description:
      'The rate of the API key, if it has one (draft-ietf-httpapi-ratelimit-headers-11): `q` requests in ' +
      '`w` seconds, by each instance of the service.',
    schema: text(50, '^"default";q=\\d+;w=\\d+$'),
    example: '"default";q=100;w=1',
  },
  RateLimit: {
    description:
      'What is left of it: `r` requests can be sent at once, and one more after `t` seconds.',
    schema: text(50, '^"default";r=\\d+;t=\\d+$'),
    example: '"default";r=50;t=1',
  },
  'WWW-Authenticate': {
    description: 'What is wrong with the key (RFC 6750).',
    schema: text(200, '^Bearer '),
    required: true,
    example: 'Bearer realm="store-orders", error="invalid_token"',
  },
  'Retry-After': {
    description: 'After how many seconds to try again.',
    schema: { type: 'integer', format: 'int32', minimum: 1, maximum: MAX_RETRY_AFTER_S },
    required: true,
  },
  Deprecation: { ...DEPRECATION, required: true },
  Sunset: { ...SUNSET, required: true },
  NoStore: {
    description: 'No cache may keep an error.',
    schema: { type: 'string', const: 'no-store' },
    required: true,
  },
  DeprecationLink: { ...DEPRECATION_LINK, required: true },
  OptionalDeprecation: DEPRECATION,
  OptionalSunset: SUNSET,
  OptionalDeprecationLink: DEPRECATION_LINK,
} as const satisfies Record<string, HeaderDescription>;

export type HeaderName = keyof typeof HEADERS;

/** Headers with another meaning for an error or a deprecated operation, or that are not always there. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  DeprecationLink: 'Link',
  OptionalDeprecation: 'Deprecation',
  OptionalSunset: 'Sunset',
  OptionalDeprecationLink: 'Link',
  NoStore: 'Cache-Control',
  LastEventPosition: 'Event-Position',
};

/** Returns references to the descriptions of headers. */
export function headersOf(names: readonly HeaderName[]) {
  return Object.fromEntries(
    names.map((name) => [
      OTHER_NAMES[name] ?? name,
      { $ref: `#/components/headers/${name}` as const },
    ]),
  );
}
