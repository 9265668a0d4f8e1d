/** The JSON bodies of requests: how they are read, and their schemas. */
import type { Request, RequestHandler } from 'express';
import { z } from 'zod';
import { CLOCKS } from '../../app/clock.ts';
import type { PetId } from '../../domain/order-id.ts';
import { ApiError } from '../api-error.ts';
import { shownSyntaxError } from './shown.ts';
import { dateTime, int64, petIdV2, quantity } from './values.ts';

/** The longest body that is read. An order has about 100 bytes. */
export const MAX_BODY_BYTES = 16_384;

// RFC 8259, section 8.1: JSON is UTF-8.
const OTHER_CHARSET = /;\s*charset\s*=\s*(?!"?utf-8"?\s*(?:;|$))/i;
/** A byte order mark is left out, and bytes that are not UTF-8 become U+FFFD. */
const UTF_8 = new TextDecoder();
/** RFC 9110, section 10.1.1. */
const EXPECTS_CONTINUE = /(?:^|\W)100-continue(?:$|\W)/i;

/**
 * Throws a 415 for a body that is not declared as plain JSON, and a 413 for one that is declared as too
 * long: before a byte of it is read.
 */
export function requireJson(req: Request): void {
  const {
    'content-type': type = '',
    'content-encoding': coding = 'identity',
    'content-length': length = '0',
  } = req.headers;
  // `false` is another type; `null` is no body at all, which the schema refuses.
  const isOther = req.is('application/json') === false;
  if (isOther || OTHER_CHARSET.test(type) || coding.toLowerCase() !== 'identity')
    throw new ApiError('unsupported_media_type');
  if (Number(length) > MAX_BODY_BYTES) throw new ApiError('payload_too_large');
}

/**
 * Reads a JSON body. Whole numbers become bigint, exact to the last digit. A client that waits for
 * `100 Continue` gets it here, where nothing but the body itself can be refused any more.
 */
export const jsonBody: RequestHandler = async (req, res, next) => {
  const { expect, 'content-length': length, 'transfer-encoding': coding } = req.headers;
  // Of a request without a body, Node announces no end.
  if (length !== undefined || coding !== undefined) {
    if (expect !== undefined && EXPECTS_CONTINUE.test(expect)) res.writeContinue();
    const begunMs = CLOCKS.elapsed();
    const bytes = await bytesOf(req);
    req.context.bodyMs = CLOCKS.elapsed() - begunMs;
    req.body = parseJson(bytes);
  }
  next();
};

/** Resolves with the whole body. Rejects as soon as it is too long, and reads no more of it. */
function bytesOf(req: Request): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    req.on('data', (chunk: Buffer) => {
      length += chunk.length;
      chunks.push(chunk);
      if (length <= MAX_BODY_BYTES) return;
      req.pause();
      reject(new ApiError('payload_too_large'));
    });
    req.once('end', () => resolve(Buffer.concat(chunks)));
    req.once('close', () => {
      // Not for each request, because an Error takes 18 µs.
      if (!req.readableEnded) reject(new ApiError('invalid_request', 'The body is not complete.'));
    });
  });
}

/** Returns the value of JSON text; `undefined` where there is no text, which the schema refuses. */
function parseJson(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined;
  try {
    return JSON.parse(UTF_8.decode(bytes), exactNumbers);
  } catch (error) {
    const reason = shownSyntaxError((error as Error).message);
    throw new ApiError('invalid_request', `The body is not valid JSON: ${reason}`);
  }
}

// The third argument is given by Node 22 and newer (the "JSON.parse source text access" proposal).
function exactNumbers(_key: string, value: unknown, context?: { readonly source?: string }) {
  const source = context?.source;
  return typeof value === 'number' && source !== undefined && /^-?\d{1,19}$/.test(source)
    ? BigInt(source)
    : value;
}

const PET = 'The animal that is ordered.';

export const PlaceOrderBody = placeOrderBody(int64.describe(PET).transform((id) => id as PetId));
export const PlaceOrderBodyV2 = placeOrderBody(petIdV2.describe(PET));

function placeOrderBody<Id extends z.ZodType<PetId>>(petId: Id) {
  return z
    .strictObject({
      petId,
      quantity: quantity.describe('How many units.'),
      shipDate: dateTime.describe('When it is expected to ship, if that is known.').optional(),
    })
    .meta({ id: 'PlaceOrder', description: 'An order to be placed.' });
}

export const ShipOrderBody = z
  .strictObject({ shipDate: dateTime.describe('When it did ship.') })
  .meta({ id: 'ShipOrder', description: 'The shipment of an order.' });
