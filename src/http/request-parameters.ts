import type { Request, Response } from 'express';
import { z } from 'zod';
import type { Place } from '../app/epochs.ts';
import { MAX_INT64, MIN_INT64, type OrderId, type PetId, parseInt64 } from '../domain/order-id.ts';
import { MAX_LIMIT } from './answer-schemas.ts';
import { ApiError } from './api-error.ts';
import { shownNames } from './shown.ts';
import { countText, int64Text, placeText } from './values.ts';

/** The parameters that a path can have. */
const OTHERWISE = 'What is no integer of 64 bits, in plain decimal: 400 `invalid_request`.';
export const OrderPath = z.object({
  orderId: int64Text.describe(`The id of the order. ${OTHERWISE}`),
});
export const PetPath = z.object({
  petId: int64Text.describe(`The id of the pet. ${OTHERWISE}`),
});

/** A parameter of a query that may be left out, and what it says. */
export function may<Schema extends z.ZodType>(schema: Schema, what: string) {
  return schema.optional().describe(`${what} ${OTHERWISE_QUERY}`);
}

const OTHERWISE_QUERY = 'Anything else, or more than one: 400 `invalid_request`.';

const DEFAULT_LIMIT = 100;

/** How long a page is to be. */
export function limitOf(what: string) {
  const told = `How many ${what} a page has at most. ${OTHERWISE_QUERY}`;
  return countText(1, MAX_LIMIT, DEFAULT_LIMIT).describe(told);
}

/** Of an operation that takes no parameters, and refuses any. */
export const NoQuery = z.strictObject({});

/** Reads the orderId of the path: the one way into the service for an id that a client chose. */
export function readOrderId(req: Request): OrderId {
  return readInt64('orderId', req) as OrderId;
}

export function readPetId(req: Request): PetId {
  return readInt64('petId', req) as PetId;
}

/** Reads the position of the path. */
export function readPosition(req: Request): Place {
  const result = placeText.safeParse(req.params.position);
  if (result.success) return result.data;
  throw new ApiError('invalid_request', `position: ${result.error.issues[0]?.message}`);
}

function readInt64(name: string, req: Request): bigint {
  const read = parseInt64(String(req.params[name]));
  if (read !== undefined) return read;
  const range = `${MIN_INT64} to ${MAX_INT64}`;
  throw new ApiError('invalid_request', `${name}: must be a whole number from ${range}`);
}

/**
 * Reads the query by a schema, and keeps what it says. Throws a 400 that names every parameter
 * that is unknown, malformed or given more than once.
 */
export function readQuery(req: Request, res: Response, schema: z.ZodType): void {
  const result = schema.safeParse(req.query);
  if (!result.success) {
    throw new ApiError('invalid_request', result.error.issues.map(describe).join('; '));
  }
  res.locals.query = result.data;
}

/** What the query of the request says, by the schema of its operation. */
export function queryOf<Schema extends z.ZodType>(res: Response, _schema: Schema) {
  return res.locals.query as z.output<Schema>;
}

function describe(issue: z.core.$ZodIssue): string {
  if (issue.code === 'unrecognized_keys') {
    return shownNames(issue.keys, 'unknown parameter');
  }
  return `${issue.path.join('.')}: ${issue.message}`;
}
