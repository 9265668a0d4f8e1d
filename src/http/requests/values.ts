/**
 * The values in requests: one schema both parses and describes each.
 *
 * In a JSON body an integer arrives as a bigint (see body.ts); in a path, a query or a header every
 * value is text.
 */
import { z } from 'zod';
import type { ZodOpenApiOverrideMetaContext } from 'zod-openapi';
import type { Place } from '../../app/log/epochs.ts';
import { EPOCH_PATTERN, MAX_POSITION, PLACE, POSITION_PATTERN } from '../../app/log/positions.ts';
import { type Instant, parseBound, parseInstant } from '../../domain/instant.ts';
import { MAX_QUANTITY } from '../../domain/order.ts';
import {
  MAX_INT64,
  MIN_INT64,
  type OrderId,
  type PetId,
  parseInt64,
} from '../../domain/order-id.ts';

type JsonSchema = Readonly<Record<string, unknown>>;

/** Describes a schema in OpenAPI if zod's description is missing or unsuitable. */
export function as<Schema extends z.ZodType>(schema: Schema, json: JsonSchema): Schema {
  const override = ({ jsonSchema }: ZodOpenApiOverrideMetaContext) => {
    for (const word of Object.keys(jsonSchema)) {
      if (word !== 'description') Reflect.deleteProperty(jsonSchema, word);
    }
    Object.assign(jsonSchema, json);
  };
  return schema.meta({ override });
}

// The limits of int64 are not exact as JavaScript numbers: description.ts writes them exactly.
const INT64 = {
  type: 'integer',
  format: 'int64',
  minimum: Number(MIN_INT64),
  maximum: Number(MAX_INT64),
};
export const QUANTITY = { type: 'integer', format: 'int32', minimum: 1, maximum: MAX_QUANTITY };
const BOOLEAN = { type: 'boolean' };
const ANY_INT64 = `(?:0|-?(?:${positiveUpTo(MAX_INT64)})|${MIN_INT64})`;
/** A 64-bit integer as a string, which JSON parsers cannot round. */
export const INT64_TEXT = {
  type: 'string',
  pattern: `^${ANY_INT64}$`,
  maxLength: String(MIN_INT64).length,
};

/** RFC 3339, with any offset, without leap seconds, which JavaScript's clock lacks. */
const ANY_DATE_TIME = {
  type: 'string',
  format: 'date-time',
  pattern: '^\\d{4}-\\d\\d-\\d\\d[Tt]\\d\\d:\\d\\d:[0-5]\\d(?:\\.\\d+)?(?:[Zz]|[+-]\\d\\d:\\d\\d)$',
  maxLength: 16_384,
};

export const POSITION = { type: 'integer', format: 'int64', minimum: 0, maximum: MAX_POSITION };
/** A position, which may be preceded by its epoch. */
const PLACE_TEXT = {
  type: 'string',
  pattern: `^(?:${EPOCH_PATTERN}:)?(?:0|${positiveUpTo(MAX_POSITION)})$`,
  maxLength: 59,
};

const NO_INT64 = `must be a whole number from ${MIN_INT64} to ${MAX_INT64}`;
const NO_STRING = `${NO_INT64}, as a string`;
const NO_POSITION = `must be a whole number from 0 to ${MAX_POSITION}`;
const A_DATE_TIME = 'an RFC 3339 date-time, such as 2026-01-31T12:00:00Z';
const NO_DATE_TIME = `must be ${A_DATE_TIME}`;
const SEND_PLUS = 'in a query, send + as %2B';
const NOT_ONCE = 'must be given once';

function wholeNumber(min: bigint, max: bigint) {
  const error = `must be a whole number from ${min} to ${max}`;
  return z.bigint({ error }).min(min, error).max(max, error);
}

function instant(error: string, parse = parseInstant) {
  return z.string({ error }).transform((text, context): Instant => {
    const read = parse(text);
    if (read === undefined) context.addIssue(error);
    return read ?? z.NEVER;
  });
}

/** Values of a JSON body. */
export const int64 = as(wholeNumber(MIN_INT64, MAX_INT64), INT64);
export const quantity = as(wholeNumber(1n, BigInt(MAX_QUANTITY)).transform(Number), QUANTITY);
export const dateTime = as(instant(NO_DATE_TIME), ANY_DATE_TIME);

/**
 * Returns a regular expression for the whole numbers from 1 to a largest one, in decimal without
 * leading zeros, because JSON Schema has no other means to bound a number that is a string.
 */
function positiveUpTo(max: number | bigint): string {
  const digits = Array.from(String(max), Number);
  const asLong = digits.reduceRight((rest, digit, index) => {
    const lowest = index === 0 ? 1 : 0;
    const others = digits.length - 1 - index;
    if (others === 0) return oneOf(lowest, digit);
    if (digit === lowest) return `${digit}${rest}`;
    const below = `${oneOf(lowest, digit - 1)}${others === 1 ? '\\d' : `\\d{${others}}`}|${digit}${rest}`;
    return index === 0 ? below : `(?:${below})`;
  }, '');
  return `[1-9]\\d{0,${digits.length - 2}}|${asLong}`;
}

function oneOf(lowest: number, highest: number): string {
  if (highest === lowest) return String(highest);
  return highest === lowest + 1 ? `[${lowest}${highest}]` : `[${lowest}-${highest}]`;
}

/** A text that may be sent once. */
function text() {
  return z.string({ error: NOT_ONCE });
}

/** Values of a path, a query or a header. */
export const orderIdText = idText<OrderId>();
export const petIdText = idText<PetId>();

/** The ids of version 2, in a path or a query and in JSON bodies. */
export const orderIdTextV2 = as(orderIdText, INT64_TEXT);
export const petIdTextV2 = as(petIdText, INT64_TEXT);
export const orderIdV2 = as(idIn<OrderId>(z.string({ error: NO_STRING }), NO_STRING), INT64_TEXT);
export const petIdV2 = as(idIn<PetId>(z.string({ error: NO_STRING }), NO_STRING), INT64_TEXT);

/** The most ids in one parameter. */
const MAX_IDS = 100;
const NO_IDS = `must be up to ${MAX_IDS} whole numbers from ${MIN_INT64} to ${MAX_INT64}, with commas between`;

/** The ids of some orders. */
export const orderIdsText = as(
  text().transform((given, context): readonly OrderId[] => {
    const read = given.split(',', MAX_IDS + 1).map(parseInt64);
    if (read.length <= MAX_IDS && !read.includes(undefined)) return read as OrderId[];
    context.addIssue(NO_IDS);
    return z.NEVER;
  }),
  {
    type: 'string',
    pattern: `^${ANY_INT64}(?:,${ANY_INT64}){0,${MAX_IDS - 1}}$`,
    maxLength: MAX_IDS * (INT64_TEXT.maxLength + 1) - 1,
  },
);

function idText<Id extends bigint>() {
  return as(idIn<Id>(text(), NO_INT64), INT64);
}

function idIn<Id extends bigint>(schema: z.ZodString, error: string) {
  return schema.transform((given, context): Id => {
    const read = parseInt64(given);
    if (read === undefined) context.addIssue(error);
    return (read as Id | undefined) ?? z.NEVER;
  });
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

/** A date-time that bounds a range, exact to any digit. */
export const boundText = as(
  text().pipe(instant(`${NO_DATE_TIME}; ${SEND_PLUS}`, parseBound)),
  ANY_DATE_TIME,
);

const COMMAND_ID = '^[!-~]{1,100}$';

/** The id of a command, or the part that the ids of several begin with. */
export const commandIdText = as(
  text().regex(new RegExp(COMMAND_ID), 'must have 1 to 100 characters of ASCII and no blanks'),
  { type: 'string', pattern: COMMAND_ID, maxLength: 100 },
);

/** A count from 1 on; `absent` is the default. */
export function countText(max: number, absent: number) {
  const error = `must be a whole number from 1 to ${max}`;
  const schema = text()
    .regex(/^[1-9]\d{0,8}$/, error)
    .transform(Number)
    .refine((value) => value <= max, error);
  const range = { type: 'integer', format: 'int32', minimum: 1, maximum: max };
  return as(schema.default(absent), { ...range, default: absent });
}

/** The position of an event, or 0 for the position before the first. */
export const positionText = as(
  text()
    .regex(new RegExp(`^${POSITION_PATTERN}$`), NO_POSITION)
    .transform(Number)
    .refine((value) => value <= MAX_POSITION, NO_POSITION),
  POSITION,
);

function parsePlace(given: string): Place {
  const [, epoch, position] = PLACE.exec(given) ?? [];
  return { epoch, position: Number(position) };
}

/** A position, which may name its epoch: if the log was cut, it may have been assigned twice. */
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

/** One of several words. */
export function wordText<const Words extends readonly [string, ...string[]]>(words: Words) {
  const schema = text().pipe(z.enum(words, { error: `must be one of ${words.join(', ')}` }));
  return as(schema, { type: 'string', enum: words });
}
