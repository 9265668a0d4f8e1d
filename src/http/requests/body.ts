/** The JSON bodies of requests: how they are read, and their schemas. */
import express, { type Request, type RequestHandler } from 'express';
import { z } from 'zod';
import type { PetId } from '../../domain/order-id.ts';
import { ApiError } from '../api-error.ts';
import { dateTime, int64, quantity } from './values.ts';

/** An order has about 100 bytes. */
const MAX_BODY_BYTES = 16_384;

// RFC 8259, section 8.1: JSON is UTF-8. The parser would read UTF-7, 16 and 32 as well.
const OTHER_CHARSET = /;\s*charset\s*=\s*(?!"?utf-8"?\s*(?:;|$))/i;

/** Throws a 415 for a body that is not declared as JSON. */
export function requireJson(req: Request): void {
  // `false` is another type; `null` is no body at all, which the schema refuses.
  const isOther = req.is('application/json') === false;
  if (isOther || OTHER_CHARSET.test(req.headers['content-type'] ?? ''))
    throw new ApiError('unsupported_media_type');
}

/** Returns a handler that reads a JSON body. Whole numbers become bigint, exact to the last digit. */
export function jsonBody(): RequestHandler {
  // Not strict: any JSON reaches the schema, whose messages are more exact.
  const options = { limit: MAX_BODY_BYTES, inflate: false, strict: false, reviver: exactNumbers };
  return express.json(options);
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
