/** The bodies of answers. Nothing is parsed by these: they describe what is written by hand. */
import { z } from 'zod';
import { EVENT_TYPES } from '../../app/log/recorded-event.ts';
import { SCOPES } from '../../app/ports/key-store.ts';
import { CANCEL_REASONS, MAX_EVENTS_PER_ORDER } from '../../domain/order.ts';
import { STATUSES } from '../../domain/order-lives.ts';
import { ERRORS, type ErrorCode, MAX_MESSAGE } from '../api-error.ts';
import { CURSOR, CURSOR_LENGTHS } from '../requests/cursor.ts';
import { MAX_LIMIT } from '../requests/parameters.ts';
import { as, INT64_TEXT, int64, POSITION, QUANTITY } from '../requests/values.ts';

const quantity = as(z.number(), QUANTITY);
/** A time as the service writes it: see src/domain/instant.ts. */
export const instant = as(z.string(), {
  type: 'string',
  format: 'date-time',
  pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
  minLength: 24,
  maxLength: 24,
});
/** The size of the log: 0 before its first event. */
export const size = as(z.number(), POSITION);
export const position = as(z.number(), { ...POSITION, minimum: 1 });
/** The id of an order in an event, in which 64-bit numbers are texts. */
const idText = text(20, '^-?(?:0|[1-9]\\d*)$');
const count = as(z.number(), {
  type: 'integer',
  format: 'int32',
  minimum: 1,
  maximum: 2 ** 31 - 1,
});

export function text(maxLength: number, pattern: string) {
  return as(z.string(), { type: 'string', maxLength, pattern });
}

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

/** The ids in an order: numbers in version 1, strings in version 2. */
function idsAs<Id extends z.ZodType>(int64: Id) {
  return {
    id: int64.describe('Unique order identifier.'),
    petId: int64.describe('Identifier of the animal in the order.'),
  };
}

/** The other properties that versions 1 and 2 have in common. */
const order = {
  quantity: quantity.describe('Number of units ordered.'),
  shipDate: instant
    .describe('Expected ship date, and once the order has shipped, the actual one.')
    .optional(),
  complete: z.boolean().describe('Whether the order has been fulfilled: it has shipped.'),
};

// The contract marks no property as required, although all but the ship date are always there.
export const OrderV1 = z
  .object({ ...idsAs(int64), ...order })
  .partial()
  .meta({ id: 'Order', description: 'An order, as version 1 shows it.' });

export const OrderV2 = z
  .object({
    ...idsAs(as(z.string(), INT64_TEXT)),
    ...order,
    status: z
      .enum(STATUSES)
      .describe('pending until it has shipped or was cancelled; both are for good.'),
    placedAt: instant.describe('When the order was placed.'),
    shippedAt: instant
      .describe('When the shipment was recorded, which may be later than the ship date.')
      .optional(),
    cancelledAt: instant.describe('When the order was cancelled.').optional(),
    cancelReason: z
      .enum(CANCEL_REASONS)
      .describe('Why it was cancelled, if that was said.')
      .optional(),
  })
  .meta({ id: 'Order', description: 'An order, as version 2 shows it.' });

export const OrdersV1 = z.array(OrderV1);

export const OrderPageV2 = z
  .object({
    asOf: size
      .describe('Where `asOf` was asked for: the position of the last event that is told of.')
      .optional(),
    data: z.array(OrderV2).max(MAX_LIMIT).describe('The orders, by id.'),
    next: z
      .string()
      .regex(CURSOR)
      .min(CURSOR_LENGTHS[0])
      .max(CURSOR_LENGTHS[1])
      .nullable()
      .describe('What to send as `after` for the next page; null on the last one.'),
  })
  .meta({ id: 'OrderPage', description: 'A page of the list of orders.' });

export const KeyAnswer = z
  .object({
    id: text(10, '^[0-9A-Za-z]{10}$').describe(
      'The public part of the key, which stands in its text.',
    ),
    name: text(100, '^.+$').describe('What the operator called it.'),
    scopes: z.array(z.enum(SCOPES)).max(SCOPES.length).describe('What it allows.'),
    createdAt: instant.describe('When it was made.'),
    expiresAt: instant.describe('When it expires; absent where it never does.').optional(),
    limits: z
      .object({
        rate: z
          .object({
            requests: count.describe('The requests in each window.'),
            seconds: count.describe('The window, in seconds.'),
            burst: count.describe('The requests at once after a pause.'),
          })
          .describe('The rate of requests, in each instance of the service.')
          .optional(),
        concurrent: count.describe('The requests that may be under way at once.').optional(),
        streams: count.describe('The event streams that may be open at once.').optional(),
      })
      .describe('Absent where it has none.')
      .optional(),
  })
  .meta({ id: 'Key', description: 'An API key, as its owner sees it.' });

export const PetAnswer = z
  .object({ id: int64.describe('Identifier of the animal.') })
  .meta({ id: 'Pet', description: 'All that is known of a pet.' });

/** An event. It is written by src/app/audit/proofs/cloud-event.ts. */
const CloudEvent = z
  .object({
    specversion: z.literal('1.0').describe('The version of CloudEvents.'),
    id: text(10, '^[1-9]\\d*$').describe('The position, as a text.'),
    source: text(100, '^/store-orders/[\\w.-]+$').describe(
      'The store that the event is in. Together with `id` it names the event for good.',
    ),
    type: z.enum(EVENT_TYPES).describe('What happened.'),
    subject: idText.describe('The id of the order that it happened to.'),
    time: instant.describe('When it was recorded.'),
    datacontenttype: z.literal('application/json').describe('What `data` is.'),
    position: position.describe(
      'Its place in the log: dense, from 1. It is the leaf `position` − 1 of the Merkle tree.',
    ),
    version: count.describe('How many events the order had with this one.'),
    schemaversion: count.describe('In which form `data` is written.'),
    by: text(1_000, '^.*$').describe(
      'Who did it: the id of an API key, or the name of the tool that did.',
    ),
    keyname: text(100, '^.+$')
      .describe('What the API key is called. It is no part of what is hashed.')
      .optional(),
    commandid: text(1_000, '^.*$').describe(
      'The command that led to it: for one over HTTP, the `X-Request-Id` of its answer.',
    ),
    traceparent: text(55, '^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$')
      .describe(
        'The `traceparent` (W3C Trace Context) of the request that led to it, if that had one. The ' +
          'client has chosen it, and it is no part of what is hashed.',
      )
      .optional(),
    metadata: text(16_384, '^.*$')
      .describe('The stored text of who and when, where it is not made of the three above.')
      .optional(),
    data: z
      .looseObject({ orderId: idText })
      .describe(
        'What is stored of the event itself, to the byte: canonical JSON (RFC 8785), with 64-bit ' +
          'numbers as texts.',
      ),
  })
  .meta({ id: 'CloudEvent', description: 'An event, in the JSON format of CloudEvents 1.0.' });

export const OrderEvents = z.array(CloudEvent).min(1).max(MAX_EVENTS_PER_ORDER);

export const EventPageAnswer = z.array(CloudEvent).max(MAX_LIMIT);

export const EventStreamAnswer = text(16_384, '^.*$').describe(
  'Server-Sent Events (`text/event-stream`), without an end. Each has the position as its `id`, and ' +
    'as its `data` an event as in the other form.',
);

export const Hashes = z
  .array(text(44, '^[A-Za-z0-9+/]{43}=$').describe('SHA-256, in base64.'))
  .max(64)
  .describe('The hashes, in the order of RFC 9162.');

export const InclusionAnswer = z
  .object({
    position: position.describe('Where the event stands.'),
    size: size.describe('The size of the log that it is proven for.'),
    proof: Hashes,
  })
  .meta({ id: 'InclusionProof', description: 'That an event is in the log.' });

export const ConsistencyAnswer = z
  .object({
    from: size.describe('The size of the older log.'),
    to: size.describe('The size of the newer log.'),
    proof: Hashes,
  })
  .meta({ id: 'ConsistencyProof', description: 'That nothing in the log was rewritten.' });

export const NoteAnswer = text(
  16_384,
  '^[^\\n]+\\n(?:0|[1-9]\\d*)\\n[A-Za-z0-9+/]{43}=\\n\\n(?:— [^\\n]+\\n)+$',
).describe(
  'A signed note: name, size and root, an empty line, and the signature, before those of witnesses.',
);

export const EpochsAnswer = z
  .object({
    epoch: text(42, '^(?:0|[1-9]\\d{0,8}\\.[0-9a-f]{32})$').describe(
      'The epoch. Checkpoints have it behind the name of the log and a plus sign, but for epoch `0`.',
    ),
    breaks: z
      .array(
        text(4_096, '^\\{[^\\n]+\\}\\n\\n(?:— [^\\n]+\\n)+$').describe(
          'A signed note: the statement as canonical JSON, an empty line, and the signature.',
        ),
      )
      .max(1_000)
      .describe('The statements of all breaks, the oldest first.'),
  })
  .meta({ id: 'Epochs', description: 'Where the log was cut and went on under another name.' });
