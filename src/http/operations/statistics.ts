/** The numbers of orders and events, now and in the past. */
import { z } from 'zod';
import { CLOCKS } from '../../app/clock.ts';
import type { Epochs } from '../../app/log/epochs.ts';
import type { ReadModel } from '../../app/read/read-model.ts';
import {
  activityIn,
  BUCKET_MS,
  type Buckets,
  bucketsOf,
  summaryAt,
} from '../../app/read/statistics.ts';
import { type Instant, millisecondsOf, nearestInstant } from '../../domain/instant.ts';
import {
  isNotModified,
  JSON_UTF_8,
  PRIVATE,
  sendJson,
  sendNegotiated,
} from '../answers/negotiation.ts';
import {
  ActivityAnswer,
  BUCKETS,
  MAX_BUCKETS,
  SummaryAnswer,
} from '../answers/statistics-schemas.ts';
import { ApiError } from '../api-error.ts';
import { may } from '../requests/parameters.ts';
import { boundText, dateTimeText, momentText, wordText } from '../requests/values.ts';
import { momentOf, positionOfMoment } from './as-of.ts';
import { type ContextOf, type Description, type Operation, operation } from './operation.ts';

export interface StatisticsServices {
  readonly epochs: Epochs;
  readonly readModel: Pick<ReadModel<unknown>, 'current'>;
}

const GET_SUMMARY = {
  operationId: 'getSummary',
  method: 'get',
  path: '/store/summary',
  scope: 'orders:read',
  tag: 'orders',
  summary: 'Count the orders',
  description:
    'Returns how many orders there are of each status, and where the log ends. It shows every command ' +
    'that was answered before. With `asOf`, both are as they were at that moment. The answer takes the ' +
    'same time however many orders there are.',
  query: z.strictObject({
    asOf: may(
      momentText,
      'The numbers as they were: after so many events of the log, or at a time, as in the list. A ' +
        'moment that has not come is a 400 as well.',
    ),
  }),
  success: {
    status: 200,
    description: 'The numbers.',
    schema: SummaryAnswer,
    headers: ['ETag', 'Cache-Control', 'Vary'],
    isConditional: true,
  },
  refusals: [],
} as const satisfies Description;

async function getSummary(
  { epochs, readModel }: StatisticsServices,
  { req, res, query }: ContextOf<typeof GET_SUMMARY>,
): Promise<void> {
  const moment = momentOf(query.asOf, epochs);
  const list = await readModel.current(req.context);
  const asOf = moment === undefined ? list.position : positionOfMoment(list, moment);
  if (isNotModified(req, res, `${epochs.logName}-${list.stateAt(asOf)}`, PRIVATE)) return;
  const { lastEventAt, total, byStatus } = summaryAt(list, asOf);
  const json = JSON.stringify({ asOf, lastEventAt, orders: { total, ...byStatus } });
  res.setHeader('Content-Type', JSON_UTF_8);
  await sendNegotiated(req, res, Buffer.from(json));
}

/** The buckets of an answer whose beginning is not asked for. */
const DEFAULT_BUCKETS = { minute: 60, hour: 24, day: 30 };

const GET_ACTIVITY = {
  operationId: 'getActivity',
  method: 'get',
  path: '/store/activity',
  scope: 'orders:read',
  tag: 'orders',
  summary: 'Count the events of each minute, hour or day',
  description:
    'Returns how many orders were placed, shipped and cancelled in each minute, hour or day. Buckets are ' +
    'whole ones in UTC: all that the range touches. The last one may not be over. A time is that of ' +
    `recording. An answer has up to ${MAX_BUCKETS} buckets; more are a 400. It takes the same time ` +
    'however many events there are.',
  query: z.strictObject({
    bucket: may(wordText(BUCKETS), 'The length of each bucket: `day` if absent.'),
    from: may(
      dateTimeText,
      `Where the range begins; if absent, so that there are ${DEFAULT_BUCKETS.minute} minutes, ` +
        `${DEFAULT_BUCKETS.hour} hours or ${DEFAULT_BUCKETS.day} days.`,
    ),
    to: may(
      boundText,
      'Where the range ends, exclusively; if absent, now, or behind the last event if its time is later.',
    ),
  }),
  success: {
    status: 200,
    description: 'The events in each bucket.',
    schema: ActivityAnswer,
    headers: ['Cache-Control'],
  },
  refusals: [],
} as const satisfies Description;

type ActivityContext = ContextOf<typeof GET_ACTIVITY>;

async function getActivity(
  { readModel }: StatisticsServices,
  { req, res, query }: ActivityContext,
): Promise<void> {
  const { bucket = 'day' } = query;
  const list = await readModel.current(req.context);
  const buckets = bucketsIn(bucket, query, list.lastAt);
  const { beginMs, bucketMs, count } = buckets;
  const [from, to] = [beginMs, beginMs + bucketMs * count].map(nearestInstant);
  const data = activityIn(list, buckets);
  sendJson(res, 200, JSON.stringify({ asOf: list.position, bucket, from, to, data }));
}

function bucketsIn(
  bucket: keyof typeof BUCKET_MS,
  { from, to }: Pick<ActivityContext['query'], 'from' | 'to'>,
  lastAt: Instant | undefined,
): Buckets {
  const bucketMs = BUCKET_MS[bucket];
  const toMs = millisecondsOf(to ?? presentOf(lastAt));
  const defaultMs = (Math.ceil(toMs / bucketMs) - DEFAULT_BUCKETS[bucket]) * bucketMs;
  // No bucket begins before the first instant, which is the beginning of one of each length.
  const begin = from ?? nearestInstant(defaultMs);
  const buckets = bucketsOf(bucketMs, millisecondsOf(begin), toMs);
  if (buckets.count <= MAX_BUCKETS) return buckets;
  throw new ApiError(
    'invalid_request',
    `from, to: ${buckets.count} buckets, and an answer has ${MAX_BUCKETS} at most`,
  );
}

// Events are ahead of a clock that was set back, or that is behind that of another instance.
function presentOf(lastAt: Instant | undefined): Instant {
  const behindMs = lastAt === undefined ? Number.NEGATIVE_INFINITY : millisecondsOf(lastAt) + 1;
  return nearestInstant(Math.max(CLOCKS.wall(), behindMs));
}

export const STATISTICS_OPERATIONS: readonly Operation<StatisticsServices>[] = [
  operation(GET_SUMMARY, getSummary),
  operation(GET_ACTIVITY, getActivity),
];
