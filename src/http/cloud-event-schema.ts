import { z } from 'zod';
import { EVENT_TYPES } from '../app/recorded-event.ts';
import { MAX_LIMIT } from './answer-schemas.ts';
import { writtenCount, writtenId, writtenInstant, writtenPosition, writtenText } from './values.ts';

/** How an event is described. What writes it is src/app/audit/cloud-event.ts. */
const CloudEvent = z
  .object({
    specversion: z.literal('1.0').describe('The version of CloudEvents.'),
    id: writtenText(10, '^[1-9]\\d*$').describe('The position, as a text.'),
    source: writtenText(100, '^/store-orders/[\\w.-]+$').describe(
      'The store that the event is in. Together with `id` it names the event for good.',
    ),
    type: z.enum(EVENT_TYPES).describe('What happened.'),
    subject: writtenId.describe('The id of the order that it happened to.'),
    time: writtenInstant.describe('When it was recorded.'),
    datacontenttype: z.literal('application/json').describe('What `data` is.'),
    position: writtenPosition.describe(
      'Its place in the log: dense, from 1. It is the leaf `position` − 1 of the Merkle tree.',
    ),
    version: writtenCount.describe('How many events the order had with this one.'),
    schemaversion: writtenCount.describe('In which form `data` is written.'),
    by: writtenText(1_000, '^.*$').describe(
      'Who did it: the id of an API key, or the name of the tool that did.',
    ),
    keyname: writtenText(100, '^.+$')
      .describe('What the API key is called. It is no part of what is hashed.')
      .optional(),
    commandid: writtenText(1_000, '^.*$').describe(
      'The command that led to it: for one over HTTP, the `X-Request-Id` of its answer.',
    ),
    metadata: writtenText(16_384, '^.*$')
      .describe('The stored text of who and when, where it is not made of the three above.')
      .optional(),
    data: z
      .looseObject({ orderId: writtenId })
      .describe(
        'What is stored of the event itself, to the byte: canonical JSON (RFC 8785), with 64-bit ' +
          'numbers as texts.',
      ),
  })
  .meta({ id: 'CloudEvent', description: 'An event, in the JSON format of CloudEvents 1.0.' });

/** An order has two events at most. */
export const OrderEvents = z.array(CloudEvent).min(1).max(2);

export const EventPageAnswer = z.array(CloudEvent).max(MAX_LIMIT);

export const EventStreamAnswer = writtenText(16_384, '^.*$').describe(
  'Server-Sent Events (`text/event-stream`), without an end. Each has the position as its `id`, and ' +
    'as its `data` an event as in the other form.',
);
