import type { Request, Response } from 'express';
import { z } from 'zod';
import { MAX_INT64, MIN_INT64, type OrderId, type PetId } from '../domain/order-id.ts';
import { ApiError } from './api-error.ts';
import { int64Text } from './values.ts';

const orderId = int64Text.transform((id) => id as OrderId);
const petId = int64Text.transform((id) => id as PetId);

/** The parameters that a path can have. */
export const OrderPath = z.object({ orderId: int64Text.describe('The id of the order.') });
export const PetPath = z.object({ petId: int64Text.describe('The id of the pet.') });

/** Reads the orderId of the path: the one way into the service for an id that a client chose. */
export function readOrderId(req: Request): OrderId {
  return readId(orderId, 'orderId', req);
}

export function readPetId(req: Request): PetId {
  return readId(petId, 'petId', req);
}

function readId<Id>(schema: z.ZodType<Id>, name: string, req: Request): Id {
  const result = schema.safeParse(req.params[name]);
  if (result.success) return result.data;
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
    return issue.keys.map((key) => `${JSON.stringify(key)}: unknown parameter`).join('; ');
  }
  return `${issue.path.join('.')}: ${issue.message}`;
}
