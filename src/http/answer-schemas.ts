import { z } from 'zod';
import { STATUSES } from '../app/order-image.ts';
import { ERRORS, type ErrorCode, MAX_MESSAGE } from './api-error.ts';
import { CURSOR, CURSOR_LENGTHS } from './cursor.ts';
import { int64, writtenAsOf, writtenBoolean, writtenInstant, writtenQuantity } from './values.ts';

/** What answers are made of. Nothing is read by these: they describe what is written by hand. */

const CODES = Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]];

export const ErrorAnswer = z
  .object({
    code: z.enum(CODES).describe('What it is, for programs. The list is closed.'),
    message: z
      .string()
      .min(1)
      .max(MAX_MESSAGE)
      .describe('What it is, for people. It may be worded differently tomorrow.'),
    status: z.int().meta({
      description: 'The HTTP status code.',
      override: { type: 'integer', format: 'int32', minimum: 400, maximum: 599 },
    }),
  })
  .meta({ id: 'Error', description: 'The body of every answer of 400 and above.' });

/** What versions 1 and 2 have in common. */
const order = {
  id: int64.describe('Unique order identifier.'),
  petId: int64.describe('Identifier of the animal in the order.'),
  quantity: writtenQuantity.describe('Number of units ordered.'),
  shipDate: writtenInstant
    .describe('Expected ship date, and once the order has shipped, the actual one.')
    .optional(),
  complete: writtenBoolean.describe('Whether the order has been fulfilled: it has shipped.'),
};

// The contract marks no property as required, although all but the ship date are always there.
export const OrderV1 = z
  .object(order)
  .partial()
  .meta({ id: 'Order', description: 'An order, as version 1 shows it.' });

export const OrderV2 = z
  .object({
    ...order,
    status: z
      .enum(STATUSES)
      .describe('pending until it has shipped or was cancelled; both are for good.'),
    placedAt: writtenInstant.describe('When the order was placed.'),
    shippedAt: writtenInstant
      .describe('When the shipment was recorded, which may be later than the ship date.')
      .optional(),
    cancelledAt: writtenInstant.describe('When the order was cancelled.').optional(),
  })
  .meta({ id: 'Order', description: 'An order, as version 2 shows it.' });

export const OrdersV1 = z.array(OrderV1);

/** The most orders on a page of version 2. */
export const MAX_LIMIT = 1_000;

export const OrderPageV2 = z
  .object({
    asOf: writtenAsOf
      .describe('Where `asOf` was asked for: the position of the last event that is told of.')
      .optional(),
    data: z.array(OrderV2).max(MAX_LIMIT).describe('The orders, by ascending id.'),
    next: z
      .string()
      .regex(CURSOR)
      .min(CURSOR_LENGTHS[0])
      .max(CURSOR_LENGTHS[1])
      .nullable()
      .describe('What to send as `after` for the next page; null on the last one.'),
  })
  .meta({ id: 'OrderPage', description: 'A page of the list of orders.' });

export const PetAnswer = z
  .object({ id: int64.describe('Identifier of the animal.') })
  .meta({ id: 'Pet', description: 'All that is known of a pet.' });
