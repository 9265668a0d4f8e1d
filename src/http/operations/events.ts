/** The recorded events: of one order, and of all. */
import { z } from 'zod';
import type { History } from '../../app/audit/trail/history.ts';
import type { Tail } from '../../app/audit/trail/tail.ts';
import type { Authenticator } from '../../app/keys/authenticator.ts';
import type { KeyLimiter } from '../../app/keys/key-limiter.ts';
import type { Epochs, Place } from '../../app/log/epochs.ts';
import { EVENT_TYPES } from '../../app/log/recorded-event.ts';
import type { ReadModel } from '../../app/read/read-model.ts';
import { STREAM, STREAM_UTF_8, sendEventStream } from '../answers/event-stream.ts';
import { JSON_UTF_8, PRIVATE, prefers, sendNegotiated } from '../answers/negotiation.ts';
import { linkToNext } from '../answers/page.ts';
import { EventPageAnswer, EventStreamAnswer, OrderEvents } from '../answers/schemas.ts';
import { ApiError } from '../api-error.ts';
import { orderTag } from '../requests/headers.ts';
import { openStream } from '../requests/key-limits.ts';
import { limitOf, may, NoQuery, type OrderPath, positionOf } from '../requests/parameters.ts';
import { commandIdText, placeText, wordText } from '../requests/values.ts';
import { bounded, type ReadServices } from './bounded-read.ts';
import { type ContextOf, type Description, type Operation, operation } from './operation.ts';

/** An array of CloudEvents. */
const BATCH = 'application/cloudevents-batch+json';
const BATCH_UTF_8 = `${BATCH}; charset=utf-8`;

const LIST_ORDER_EVENTS = {
  operationId: 'listOrderEvents',
  method: 'get',
  path: '/store/orders/:orderId/events',
  scope: 'audit:read',
  tag: 'audit',
  summary: 'List what happened to an order',
  description:
    'Returns the events of one order, the oldest first: what happened, when, who did it, and with ' +
    'which command. It shows every command that was answered before.',
  stability: 'experimental',
  query: NoQuery,
  success: {
    status: 200,
    description: 'All that happened to the order.',
    contentType: BATCH,
    schema: OrderEvents,
    headers: ['ETag', 'Cache-Control'],
    isConditional: true,
  },
  refusals: ['order_not_found'],
} as const satisfies Description;

type OrderContext = ContextOf<
  typeof LIST_ORDER_EVENTS & { readonly pathParameters: typeof OrderPath }
>;

interface OrderHistory {
  readonly epochs: Pick<Epochs, 'logName'>;
  readonly readModel: Pick<ReadModel<unknown>, 'current'>;
  readonly history: Pick<History, 'at'>;
}

async function listOrderEvents(
  { epochs, readModel, history }: OrderHistory,
  { req, res, path }: OrderContext,
): Promise<void> {
  const positions = (await readModel.current(req.context)).positionsOf(path.orderId);
  if (positions.length === 0) throw new ApiError('order_not_found');
  const events = await history.at(positions);
  res.setHeader('ETag', orderTag(epochs.logName, positions.length));
  res.setHeader('Cache-Control', PRIVATE);
  // Express answers 304 if the client has it already.
  res.type(BATCH).send(`[${events.join(',')}]`);
}

/** The position before the first event. */
const START: Place = { position: 0 };

const EventQuery = z.strictObject({
  after: may(
    placeText,
    'Events behind this position; 0 if absent. It must not be beyond the end of the log.',
  ),
  limit: limitOf('events'),
  type: may(wordText(EVENT_TYPES), 'Events of this type.'),
  commandId: may(
    commandIdText,
    'Events of the command with this id, or of the request: the `X-Request-Id` of the response that ' +
      'recorded them. A retry with the same `Idempotency-Key` has another id, and records none.',
  ),
});

const StreamHeaders = z.object({
  'Last-Event-ID': may(
    placeText,
    'Of a stream: the `id` that was received last. It goes on behind that, whatever `after` says. ' +
      'It must not be beyond the end of the log, also where a page is asked for.',
  ),
});

const LIST_EVENTS = {
  operationId: 'listEvents',
  method: 'get',
  path: '/store/events',
  scope: 'audit:read',
  tag: 'audit',
  summary: 'List what happened, or follow it',
  description:
    'Returns the events of all orders by ascending position, a page at a time. Follow the `Link` ' +
    'with `rel="next"` until there is none: a page may be short, or empty, although there is more, ' +
    'because none looks through more than a part of the log. Then ask again with the last ' +
    '`position` as `after`, or follow the log as a stream.\n\n' +
    'To `Accept: text/event-stream` it answers with a stream of Server-Sent Events, which goes on as ' +
    'the log grows. Each has the position as its `id`; sent back as `Last-Event-ID`, the stream goes ' +
    'on behind it, without a gap and without a repetition. Only what is durable is sent. The stream ' +
    'ends when the service stops, and within a second when the key is revoked or expires. `limit` ' +
    'is for pages alone.',
  stability: 'experimental',
  headers: StreamHeaders,
  query: EventQuery,
  success: {
    status: 200,
    description: 'Events, by ascending position.',
    contentType: BATCH,
    schema: EventPageAnswer,
    alternative: { contentType: STREAM, schema: EventStreamAnswer },
    headers: ['Cache-Control', 'Vary', 'Link'],
  },
  refusals: [],
} as const satisfies Description;

interface LogServices {
  readonly epochs: Epochs;
  readonly readModel: Pick<ReadModel<unknown>, 'current'>;
  readonly history: Pick<History, 'run'>;
  readonly tail: Pick<Tail, 'follow'>;
  readonly authenticator: Pick<Authenticator, 'isStillInForce'>;
  readonly limiter: KeyLimiter;
}

type EventsContext = ContextOf<typeof LIST_EVENTS>;

async function listEvents(services: LogServices, context: EventsContext): Promise<void> {
  const { epochs, history } = services;
  const { req, res, query, headers } = context;
  const lastId = headers['Last-Event-ID'];
  const lastSeen = lastId && positionOf(epochs, 'Last-Event-ID', lastId);
  res.setHeader('Cache-Control', PRIVATE);
  res.vary('Accept').vary('Accept-Encoding');
  // A client that accepts any type gets a page, because a stream has no end.
  if (prefers(req, STREAM_UTF_8, [BATCH_UTF_8, JSON_UTF_8])) {
    await streamEvents(services, context, lastSeen);
    return;
  }
  const { after = START, limit, ...filter } = query;
  const begin = positionOf(epochs, 'after', after);
  if (lastSeen !== undefined) await requireReached(services, context, 'Last-Event-ID', lastSeen);
  const { events, end, hasMore } = await history.run(begin, limit, filter);
  if (events.length === 0) await requireReached(services, context, 'after', begin);
  if (hasMore) linkToNext(req, res, epochs.write(end));
  res.setHeader('Content-Type', BATCH_UTF_8);
  await sendNegotiated(req, res, Buffer.from(`[${events.map(({ json }) => json).join(',')}]`));
}

/**
 * Throws a 400 for a position that the log has not reached. It may be that of another log; or the log has lost its
 * end, and what takes those positions would be missed.
 */
async function requireReached(
  { readModel, epochs }: LogServices,
  { req }: EventsContext,
  name: string,
  position: number,
): Promise<void> {
  if (position === START.position) return;
  const { position: end } = await readModel.current(req.context);
  if (position <= end) return;
  throw new ApiError('invalid_request', `${name}: the log ends at position ${epochs.write(end)}`);
}

async function streamEvents(
  services: LogServices,
  context: EventsContext,
  lastSeen: number | undefined,
): Promise<void> {
  const { tail, authenticator, limiter, epochs } = services;
  const { req, res, key, query, permit } = context;
  const { after = START, type, commandId } = query;
  const begin = lastSeen ?? positionOf(epochs, 'after', after);
  const name = lastSeen === undefined ? 'after' : 'Last-Event-ID';
  await requireReached(services, context, name, begin);
  // Open streams have a limit of their own.
  permit?.release();
  const close = openStream(limiter, key, res);
  const follower = tail.follow();
  if (follower === undefined) {
    close();
    throw new ApiError('service_unavailable', 'Too many streams are open. Try again later.');
  }
  follower.left.addEventListener('abort', close);
  const mayGoOn = () => authenticator.isStillInForce(key.id);
  await sendEventStream(req, res, {
    after: begin,
    filter: { type, commandId },
    follower,
    epochs,
    mayGoOn,
  });
}

export type EventServices = OrderHistory & LogServices & ReadServices;

/** @param pathParameters The path of an order, as a version of the API describes it. */
export function eventOperations(
  pathParameters: typeof OrderPath,
): readonly Operation<EventServices>[] {
  return [
    operation({ ...LIST_ORDER_EVENTS, pathParameters }, bounded(listOrderEvents)),
    operation(LIST_EVENTS, bounded(listEvents)),
  ];
}
