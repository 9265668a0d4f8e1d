import express, { type Request, type RequestHandler } from 'express';
import { z } from 'zod';
import type { PetId } from '../domain/order-id.ts';
import { ApiError } from './api-error.ts';
import { shownNames } from './shown.ts';
import { dateTime, int64, quantity } from './values.ts';

/** The most that a request body may have, in bytes: an order has about 100. */
const MAX_BODY = 16_384;

// RFC 8259, section 8.1: JSON is UTF-8. The parser would read UTF-7, 16 and 32 as well.
const OTHER_CHARSET = /;\s*charset\s*=\s*(?!"?utf-8"?\s*(?:;|$))/i;

/** Throws a 415 for a body that is not said to be JSON. */
export function requireJson(req: Request): void {
  // `false` is another type; `null` is no body at all, which the schema will complain about.
  const isOther = req.is('application/json') === false;
  if (isOther || OTHER_CHARSET.test(req.headers['content-type'] ?? ''))
    throw new ApiError('unsupported_media_type');
}

/** Reads a JSON body. Whole numbers become bigint, exact to the last digit. */
export function jsonBody(): RequestHandler {
  // Not strict: whatever is JSON reaches the schema, which says more exactly what is wrong.
  return express.json({ limit: MAX_BODY, inflate: false, strict: false, reviver: exactNumbers });
}

// The third argument is given by Node 22 and newer (the "JSON.parse source text access" proposal).
function exactNumbers(_key: string, value: unknown, context?: { readonly source?: string }) {
  const source = context?.source;
  return typeof value === 'number' && source !== undefined && /^-?\d{1,19}$/.test(source)
    ? BigInt(source)
    : value;
}

export const PlaceOrderBody = z
  .strictObject({
    petId: int64.describe('The animal that is ordered.').transform((id) => id as PetId),
    quantity: quantity.describe('How many units.'),
    shipDate: dateTime.describe('When it is expected to ship, if that is known.').optional(),
  })
  .meta({ id: 'PlaceOrder', description: 'An order to be placed.' });

export const ShipOrderBody = z
  .strictObject({ shipDate: dateTime.describe('When it did ship.') })
  .meta({ id: 'ShipOrder', description: 'The shipment of an order.' });

/** Reads the body by a schema. Throws a 400 that names every place where it is wrong. */
export function readBody<Schema extends z.ZodType>(req: Request, schema: Schema): z.output<Schema> {
  const result = schema.safeParse(req.body);
  if (result.success) return result.data;
  throw new ApiError('invalid_request', result.error.issues.map(describe).join('; '));
}

function describe(issue: z.core.$ZodIssue): string {
  if (issue.code === 'unrecognized_keys') {
    return shownNames(issue.keys, 'unknown property');
  }
  if (issue.path.length === 0) return 'the body must be a JSON object';
  return `${issue.path.join('.')}: ${issue.message}`;
}
