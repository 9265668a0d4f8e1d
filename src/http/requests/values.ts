/**
 * The values that requests are made of: one schema parses a value and describes it.
 *
 * In a JSON body a whole number arrives as a bigint (see body.ts); in a path, a query or a header
 * everything arrives as text.
 */
import { z } from 'zod';
import type { ZodOpenApiOverrideMetaContext } from 'zod-openapi';
import type { Place } from '../../app/log/epochs.ts';
import { type Instant, parseInstant } from '../../domain/instant.ts';
import { MAX_QUANTITY } from '../../domain/order.ts';
import {
  MAX_INT64,
  MIN_INT64,
  type OrderId,
  type PetId,
  parseInt64,
} from '../../domain/order-id.ts';

type JsonSchema = Readonly<Record<string, unknown>>;

/** Describes a schema in OpenAPI by other words than zod's own, or where it has none. */
export function as<Schema extends z.ZodType>(schema: Schema, json: JsonSchema): Schema {
  const override = ({ jsonSchema }: ZodOpenApiOverrideMetaContext) => {
    for (const word of Object.keys(jsonSchema)) {
      if (word !== 'description') Reflect.deleteProperty(jsonSchema, word);
    }
    Object.assign(jsonSchema, json);
  };
  return schema.meta({ override });
}

// The ends of int64 are no JavaScript numbers: description.ts writes these two exactly.
const INT64 = {
  type: 'integer',
  format: 'int64',
  minimum: Number(MIN_INT64),
  maximum: Number(MAX_INT64),
};
export const QUANTITY = { type: 'integer', format: 'int32', minimum: 1, maximum: MAX_QUANTITY };
const BOOLEAN = { type: 'boolean' };

/** RFC 3339, with any offset; no leap seconds, which JavaScript's clock does not have. */
const ANY_DATE_TIME = {
  type: 'string',
  format: 'date-time',
  pattern: '^\\d{4}-\\d\\d-\\d\\d[Tt]\\d\\d:\\d\\d:[0-5]\\d(?:\\.\\d+)?(?:[Zz]|[+-]\\d\\d:\\d\\d)$',
  maxLength: 16_384,
};

/** The log holds no more events than the image of its orders can. */
const MAX_POSITION = 2 ** 32 - 1;
export const POSITION = { type: 'integer', format: 'int64', minimum: 0, maximum: MAX_POSITION };
/** 0 to 2^32 − 1, as a regular expression. */
const UP_TO_MAX_POSITION =
  '0|[1-9]\\d{0,8}|[1-3]\\d{9}|4(?:[01]\\d{8}|2(?:[0-8]\\d{7}|9(?:[0-3]\\d{6}|4(?:[0-8]\\d{5}|' +
  '9(?:[0-5]\\d{4}|6(?:[0-6]\\d{3}|7(?:[01]\\d{2}|2(?:[0-8]\\d|9[0-5]))))))))';
/** The same, or a position behind the epoch in which it was given. */
const PLACE_TEXT = {
  type: 'string',
  pattern: `^(?:(?:0|[1-9]\\d{0,8}\\.[0-9a-f]{8}):)?(?:${UP_TO_MAX_POSITION})$`,
  maxLength: 29,
};

const NO_INT64 = `must be a whole number from ${MIN_INT64} to ${MAX_INT64}`;
const NO_POSITION = `must be a whole number from 0 to ${MAX_POSITION}`;
const A_DATE_TIME = 'an RFC 3339 date-time, such as 2026-01-31T12:00:00Z';
const NO_DATE_TIME = `must be ${A_DATE_TIME}`;
const SEND_PLUS = 'in a query, send + as %2B';
const NOT_ONCE = 'must be given once';

function wholeNumber(min: bigint, max: bigint) {
  const error = `must be a whole number from ${min} to ${max}`;
  return z.bigint({ error }).min(min, error).max(max, error);
}

function instant(error: string) {
  return z.string({ error }).transform((text, context): Instant => {
    const read = parseInstant(text);
    if (read === undefined) context.addIssue(error);
    return read ?? z.NEVER;
  });
}

/** Values of a JSON body. */
export const int64 = as(wholeNumber(MIN_INT64, MAX_INT64), INT64);
export const quantity = as(wholeNumber(1n, BigInt(MAX_QUANTITY)).transform(Number), QUANTITY);
export const dateTime = as(instant(NO_DATE_TIME), ANY_DATE_TIME);

/** A text that a client may send once. */
function text() {
  return z.string({ error: NOT_ONCE });
}

/** Values of a path, a query or a header. */
export const orderIdText = idText<OrderId>();
export const petIdText = idText<PetId>();

function idText<Id extends bigint>() {
  const schema = text().transform((given, context): Id => {
    const read = parseInt64(given);
    if (read === undefined) context.addIssue(NO_INT64);
    return (read as Id | undefined) ?? z.NEVER;
  });
  return as(schema, INT64);
}

export const booleanText = as(
  text()
    .regex(/^(?:true|false)$/, 'must be true or false')
    .transform((given) => given === 'true'),
  BOOLEAN,
);

export const dateTimeText = as(
  text().pipe(instant(`${NO_DATE_TIME}; ${SEND_PLUS}`)),
  ANY_DATE_TIME,
);

/** A whole number that is small enough to count with; `absent` stands for one that is not given. */
export function countText(min: number, max: number, absent: number) {
  const error = `must be a whole number from ${min} to ${max}`;
  const schema = text()
    .regex(/^[1-9]\d{0,8}$/, error)
    .transform(Number)
    .refine((value) => value >= min && value <= max, error);
  const range = { type: 'integer', format: 'int32', minimum: min, maximum: max };
  return as(schema.default(absent), { ...range, default: absent });
}

/** The position of an event, or 0 for before the first. */
export const positionText = as(
  text()
    .regex(/^(?:0|[1-9]\d{0,9})$/, NO_POSITION)
    .transform(Number)
    .refine((value) => value <= MAX_POSITION, NO_POSITION),
  POSITION,
);

const PLACE = /^(?:(0|[1-9]\d{0,8}\.[0-9a-f]{8}):)?(0|[1-9]\d{0,9})$/;

function parsePlace(given: string): Place {
  const [, epoch, position] = PLACE.exec(given) ?? [];
  return { epoch, position: Number(position) };
}

/**
 * A position, which may name its epoch: where the log was cut since, the same position may have been
 * given twice.
 */
export const placeText = as(
  text()
    .regex(PLACE, NO_POSITION)
    .transform(parsePlace)
    .refine(({ position }) => position <= MAX_POSITION, NO_POSITION),
  PLACE_TEXT,
);

/** A position of the log, or a time. */
export const momentText = as(
  text().transform((given, context): Instant | Place => {
    const read = PLACE.test(given) ? parsePlace(given) : parseInstant(given);
    if (read === undefined) {
      context.addIssue(`must be a position, such as 4711, or ${A_DATE_TIME}; ${SEND_PLUS}`);
    }
    return read ?? z.NEVER;
  }),
  { type: 'string', pattern: '^\\d', maxLength: 16_384, anyOf: [PLACE_TEXT, ANY_DATE_TIME] },
);

/** One of a few words. */
export function wordText<const Words extends readonly [string, ...string[]]>(words: Words) {
  const schema = text().pipe(z.enum(words, { error: `must be one of ${words.join(', ')}` }));
  return as(schema, { type: 'string', enum: words });
}
