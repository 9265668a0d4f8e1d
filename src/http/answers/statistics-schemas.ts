/** The bodies of the summary and of the activity: they describe what is written by hand. */
import { z } from 'zod';
import { as, POSITION } from '../requests/values.ts';
import { instant, size } from './schemas.ts';

/** A number of orders or of events: no more than the log has. */
const number = as(z.number(), POSITION);

export const SummaryAnswer = z
  .object({
    asOf: size.describe('The position of the last event that is counted.'),
    lastEventAt: instant
      .describe('When that event was recorded; absent while there is none.')
      .optional(),
    orders: z
      .object({
        total: number.describe('All orders ever placed.'),
        pending: number.describe('Those that have neither shipped nor been cancelled.'),
        shipped: number.describe('Those that have shipped.'),
        cancelled: number.describe('Those that were cancelled.'),
      })
      .describe('How many orders there are.'),
  })
  .meta({ id: 'Summary', description: 'How many orders there are of each status.' });

/** The most buckets in one answer: a year of days, a month of hours, or more. */
export const MAX_BUCKETS = 1_000;

export const BUCKETS = ['minute', 'hour', 'day'] as const;

const Bucket = z.object({
  start: instant.describe('When the bucket begins. The next one begins when it ends.'),
  placed: number.describe('Events `OrderPlaced`.'),
  shipped: number.describe('Events `OrderShipped`.'),
  cancelled: number.describe('Events `OrderCancelled`.'),
});

export const ActivityAnswer = z
  .object({
    asOf: size.describe('The position of the last event in the log.'),
    bucket: z.enum(BUCKETS).describe('The length of each bucket.'),
    from: instant.describe('When the first bucket begins.'),
    to: instant.describe('When the last bucket ends.'),
    data: z
      .array(Bucket)
      .max(MAX_BUCKETS)
      .describe('The buckets, the oldest first, empty ones too.'),
  })
  .meta({ id: 'Activity', description: 'How many events were recorded when.' });
