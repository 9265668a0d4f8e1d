/** The bodies of answers to batches: they describe what is written by hand. */
import { z } from 'zod';
import { MAX_GROUP_COMMANDS, type Refusal } from '../../app/log/submission.ts';
import { MAX_MESSAGE } from '../api-error.ts';
import { as, INT64_TEXT } from '../requests/values.ts';
import { position } from './schemas.ts';

const number = as(z.number(), within(0, MAX_GROUP_COMMANDS));

function within(minimum: number, maximum: number) {
  return { type: 'integer', format: 'int32', minimum, maximum };
}

const message = z.string().min(1).max(MAX_MESSAGE).describe('What was wrong, for people.');

/** Refusals that no item has: its id is new, it has no condition, and a key is that of the whole batch. */
type OfNoItem = 'order_exists' | 'precondition_failed' | 'idempotency_key_reused';

type ItemCode = Exclude<Refusal, OfNoItem>;

/** The codes of the items that can be refused in a batch: all, so that a new refusal is not forgotten. */
const ITEM_CODES = Object.keys({
  order_not_found: true,
  order_already_shipped: true,
  order_cancelled: true,
  batch_refused: true,
} satisfies Record<ItemCode, true>) as [ItemCode, ...ItemCode[]];

/** The statuses of items: placed, cancelled, and refused. */
const ITEM_STATUSES = [201, 204, 404, 409] as const;

const Item = z
  .object({
    orderId: as(z.string(), INT64_TEXT)
      .describe('The id of the order; absent where none was placed.')
      .optional(),
    status: as(z.literal(ITEM_STATUSES), {
      ...within(201, 409),
      enum: [...ITEM_STATUSES],
    }).describe('The status that the same request for this order alone would have had.'),
    position: position
      .describe('Where in the log the event stands that makes it so, if it was done.')
      .optional(),
    code: z
      .enum(ITEM_CODES)
      .describe('What was wrong, for programs, if it was refused.')
      .optional(),
    message: message.optional(),
  })
  .meta({ id: 'BatchItem', description: 'What became of one item of a batch.' });

const results = z
  .array(Item)
  .min(1)
  .max(MAX_GROUP_COMMANDS)
  .describe('What became of each item, in the order of the request.');

export const BatchAnswer = z
  .object({
    results,
    succeeded: number.describe('How many were done.'),
    failed: number.describe('How many were refused.'),
  })
  .meta({ id: 'BatchResults', description: 'What became of a batch.' });

export const BatchRefusedAnswer = z
  .object({
    code: z.literal('batch_refused').describe('What it is, for programs.'),
    message,
    status: as(z.number(), within(409, 409)).describe('The HTTP status code.'),
    results,
    succeeded: as(z.number(), within(0, 0)).describe('How many were done: none.'),
    failed: number.describe('How many items the batch has.'),
  })
  .meta({
    id: 'BatchRefused',
    description: 'An Error, with what was wrong with each item of an atomic batch.',
  });
