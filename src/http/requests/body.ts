/** The JSON bodies of requests: how they are read, and their schemas. */
import type { Request, RequestHandler, Response } from 'express';
import { z } from 'zod';
import { CLOCKS } from '../../app/clock.ts';
import { MAX_GROUP_COMMANDS } from '../../app/log/submission.ts';
import { CANCEL_REASONS } from '../../domain/order.ts';
import type { PetId } from '../../domain/order-id.ts';
import { ApiError } from '../api-error.ts';
import { hasBody, intakeOf } from './intake.ts';
import { shownSyntaxError } from './shown.ts';
import { as, dateTime, int64, orderIdV2, petIdV2, quantity } from './values.ts';

/** The longest body that most operations read. An order has about 100 bytes. */
export const MAX_BODY_BYTES = 16_384;

// RFC 8259, section 8.1: JSON is UTF-8.
const OTHER_CHARSET = /;\s*charset\s*=\s*(?!(?:utf-8|"utf-8")\s*(?:;|$))/i;
const OTHER_THAN_UTF_8 = 'The request body must be UTF-8, declared as charset=utf-8 or not at all.';
const CODED = 'The request body must have no content coding: it is not decompressed.';
/** A byte order mark is left out, and bytes that are not UTF-8 become U+FFFD. */
const UTF_8 = new TextDecoder();
const EXPECTS_CONTINUE = /(?:^|\W)100-continue(?:$|\W)/i;

/**
 * Throws a 415 for a body that is not declared as plain JSON, and a 413 for one that is declared as too
 * long: before a byte of it is read.
 */
export function requireJson(req: Request, maxBytes: number): void {
  const { 'content-type': type = '', 'content-encoding': coding = 'identity' } = req.headers;
  // `false` is another type; `null` is no body at all, which the schema refuses.
  if (req.is('application/json') === false) throw new ApiError('unsupported_media_type');
  if (OTHER_CHARSET.test(type)) throw new ApiError('unsupported_media_type', OTHER_THAN_UTF_8);
  if (coding.toLowerCase() !== 'identity') throw new ApiError('unsupported_media_type', CODED);
  requireLength(req, maxBytes);
}

/** Throws a 413 for a body that is declared as too long. */
function requireLength({ headers }: Request, maxBytes: number): void {
  if (Number(headers['content-length'] ?? 0) > maxBytes) throw new ApiError('payload_too_large');
}

/** Returns the step that reads a JSON body. Whole numbers become bigint, exact to the last digit. */
export function jsonBody(maxBytes: number): RequestHandler {
  return async (req, res, next) => {
    const bytes = await readBody(req, res, maxBytes);
    if (bytes !== undefined) req.body = parseJson(bytes);
    next();
  };
}

/**
 * Resolves with the whole body; `undefined` for a request without one. A client that waits for `100
 * Continue` gets it here, where nothing but the body itself can be refused any more.
 */
export async function readBody(
  req: Request,
  res: Response,
  maxBytes: number,
): Promise<Buffer | undefined> {
  if (!hasBody(req)) return undefined;
  requireLength(req, maxBytes);
  if (expectsContinue(req)) res.writeContinue();
  req.context.bodyMs -= CLOCKS.elapsed();
  try {
    return await intakeOf(req).read(maxBytes);
  } finally {
    req.context.bodyMs += CLOCKS.elapsed();
  }
}

/** Returns true if a client may wait for `100 Continue`. One of HTTP/1.0 must get none (RFC 9110, section 10.1.1). */
function expectsContinue({ headers: { expect }, httpVersion }: Request): boolean {
  return expect !== undefined && httpVersion === '1.1' && EXPECTS_CONTINUE.test(expect);
}

/** Returns the value of JSON text; `undefined` where there is no text, which the schema refuses. */
function parseJson(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined;
  try {
    const text = UTF_8.decode(bytes);
    return MAY_HAVE_NUMBERS.test(text) ? JSON.parse(text, exactNumbers) : JSON.parse(text);
  } catch (error) {
    // V8 hands over the values of nested arrays and objects by recursion.
    if (error instanceof RangeError)
      throw new ApiError('invalid_request', 'The body is nested too deeply.');
    const reason = shownSyntaxError((error as Error).message);
    throw new ApiError('invalid_request', `The body is not valid JSON: ${reason}`);
  }
}

// A batch of ids has no numbers but in its texts, and takes a fifth of the time without a look at each
// value. A number stands at the beginning, or behind one of three characters; a text may look alike.
const MAY_HAVE_NUMBERS = /(?:^|[:,[])\s*-?\d/;

// The third argument is given by Node 22 and newer (the "JSON.parse source text access" proposal).
function exactNumbers(_key: string, value: unknown, context?: { readonly source?: string }) {
  const source = context?.source;
  return typeof value === 'number' && source !== undefined && /^-?\d{1,19}$/.test(source)
    ? BigInt(source)
    : value;
}

const PET = 'The animal that is ordered.';
const IN_DIGITS = 'In digits alone: 1.0 and 1e0 are a 400.';

export const PlaceOrderBody = placeOrderBody(
  int64.describe(`${PET} ${IN_DIGITS}`).transform((id) => id as PetId),
);
export const PlaceOrderBodyV2 = placeOrderBody(petIdV2.describe(PET));

function placeOrderBody<Id extends z.ZodType<PetId>>(petId: Id) {
  return z
    .strictObject({
      petId,
      quantity: quantity.describe(`How many units. ${IN_DIGITS}`),
      shipDate: dateTime.describe('When it is expected to ship, if that is known.').optional(),
    })
    .meta({ id: 'PlaceOrder', description: 'An order to be placed.' });
}

const NO_IDS = `must be an array of 1 to ${MAX_GROUP_COMMANDS} ids of orders`;
const NO_ORDERS = `must be an array of 1 to ${MAX_GROUP_COMMANDS} orders`;
const atomic = z
  .boolean({ error: 'must be true or false' })
  .describe('Whether nothing is to be done if any of it is refused. If absent, it is false.')
  .optional();

function itemsOf<Item extends z.ZodType>(item: Item, error: string) {
  return z.array(item, { error }).min(1, error).max(MAX_GROUP_COMMANDS, error);
}

export const BatchPlaceBody = z
  .strictObject({
    orders: itemsOf(PlaceOrderBodyV2, NO_ORDERS).describe('The orders to be placed.'),
    atomic,
  })
  .meta({ id: 'BatchPlace', description: 'Orders to be placed in one request.' });

const NO_REASON = `must be one of ${CANCEL_REASONS.join(', ')}`;
const REASON = { type: 'string', enum: CANCEL_REASONS };
const cancelReason = as(z.enum(CANCEL_REASONS, { error: NO_REASON }), REASON);

export const CancelOrderBody = z
  .strictObject({ reason: cancelReason.describe('Why the order is cancelled.') })
  .meta({ id: 'CancelOrder', description: 'The cancellation of an order.' });

export const BatchCancelBody = z
  .strictObject({
    orderIds: itemsOf(orderIdV2, NO_IDS).describe('The ids of the orders to be cancelled.'),
    reason: cancelReason.describe('Why they are cancelled, if that is known.').optional(),
    atomic,
  })
  .meta({ id: 'BatchCancel', description: 'Orders to be cancelled in one request.' });

export const ShipOrderBody = z
  .strictObject({ shipDate: dateTime.describe('When it did ship.') })
  .meta({ id: 'ShipOrder', description: 'The shipment of an order.' });
