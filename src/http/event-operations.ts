import type { Request, Response } from 'express';
import { z } from 'zod';
import type { Epochs } from '../app/epochs.ts';
import { EVENT_TYPES } from '../app/recorded-event.ts';
import { ApiError } from './api-error.ts';
import { keyOf } from './authentication.ts';
import { EventPageAnswer, EventStreamAnswer, OrderEvents } from './cloud-event-schema.ts';
import { sendEventStream } from './event-stream.ts';
import { PRIVATE, sendNegotiated } from './negotiation.ts';
import { linkToNext } from './next-page.ts';
import type { OrderOperation, OrderUseCases } from './order-operations.ts';
import { positionOf } from './place.ts';
import { orderTag } from './request-headers.ts';
import { limitOf, may, NoQuery, OrderPath, queryOf, readOrderId } from './request-parameters.ts';
import { placeText, wordText } from './values.ts';

/** What happened, as it was recorded: of one order, and of all. */

/** An array of CloudEvents. */
const BATCH = 'application/cloudevents-batch+json';
const STREAM = 'text/event-stream';

export const listOrderEvents: OrderOperation = {
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
  pathParameters: OrderPath,
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
  async handle({ epochs, list, projector, history }, req, res) {
    const orderId = readOrderId(req);
    await projector.catchUp();
    const positions = list.positionsOf(orderId);
    if (positions.length === 0) throw new ApiError('order_not_found');
    const events = await history.at(positions);
    res.setHeader('ETag', orderTag(epochs.logName, positions.length));
    res.setHeader('Cache-Control', PRIVATE);
    // This answers 304 to whoever has it already.
    res.type(BATCH).send(`[${events.join(',')}]`);
  },
};

/** Before the first event. */
const START = { position: 0 } as const;

const EventQuery = z.strictObject({
  after: may(placeText, 'Events behind this position; 0 if absent.'),
  limit: limitOf('events'),
  type: may(wordText(EVENT_TYPES), 'Events of this type.'),
});

const StreamHeaders = z.object({
  'Last-Event-ID': may(
    placeText,
    'Of a stream: the `id` that was received last. It goes on behind that, whatever `after` says.',
  ),
});

export const listEvents: OrderOperation = {
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
  async handle(useCases, req, res) {
    const lastSeen = lastEventIdOf(req, useCases.epochs);
    res.setHeader('Cache-Control', PRIVATE);
    res.vary('Accept').vary('Accept-Encoding');
    // Whoever takes anything gets a page: a stream has no end.
    if (req.accepts([BATCH, 'application/json', STREAM]) === STREAM) {
      await stream(useCases, req, res, lastSeen);
      return;
    }
    const { after = START, limit, type } = queryOf(res, EventQuery);
    const begin = positionOf(useCases.epochs, 'after', after);
    const { events, end, hasMore } = await useCases.history.page(begin, limit, type);
    if (hasMore) linkToNext(req, res, useCases.epochs.write(end));
    res.setHeader('Content-Type', `${BATCH}; charset=utf-8`);
    await sendNegotiated(req, res, Buffer.from(`[${events.map(({ json }) => json).join(',')}]`));
  },
};

async function stream(
  { tail, authenticator, epochs }: OrderUseCases,
  req: Request,
  res: Response,
  lastSeen: number | undefined,
): Promise<void> {
  const { after = START, type } = queryOf(res, EventQuery);
  const begin = lastSeen ?? positionOf(epochs, 'after', after);
  const follower = tail.follow();
  if (follower === undefined) {
    throw new ApiError('service_unavailable', 'Too many streams are open. Try again later.');
  }
  const { id } = keyOf(res);
  const mayGoOn = () => authenticator.isStillInForce(id);
  await sendEventStream(req, res, { after: begin, type, follower, epochs, mayGoOn });
}

function lastEventIdOf(req: Request, epochs: Epochs): number | undefined {
  const result = StreamHeaders.safeParse({ 'Last-Event-ID': req.headers['last-event-id'] });
  if (result.success) {
    const place = result.data['Last-Event-ID'];
    return place && positionOf(epochs, 'Last-Event-ID', place);
  }
  const [issue] = result.error.issues;
  throw new ApiError('invalid_request', `Last-Event-ID: ${issue?.message}`);
}
