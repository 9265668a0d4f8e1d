import fc, { type Arbitrary } from 'fast-check';
import type { Metadata, NewEvent } from '../../src/app/recorded-event.ts';
import type { PlaceNewOrder, Submission } from '../../src/app/submission.ts';
import type { Instant } from '../../src/domain/instant.ts';
import type { OrderCommand, OrderEvent } from '../../src/domain/order.ts';
import type { OrderId, PetId } from '../../src/domain/order-id.ts';

/**
 * What the properties draw from. Ends of ranges come up far more often than chance would have
 * them, because that is where mistakes are.
 */

/** Plain objects: a null prototype would make them unlike what a codec reads. */
function record<Shape>(shape: { [Key in keyof Shape]: Arbitrary<Shape[Key]> }): Arbitrary<Shape> {
  return fc.record(shape, { noNullPrototype: true }) as Arbitrary<Shape>;
}

const MIN = -9223372036854775808n;
const MAX = 9223372036854775807n;
// Where a JavaScript number, 32 bits or a sign would lose something.
const EDGES = [MIN, MIN + 1n, -(2n ** 53n) - 1n, -1n, 0n, 1n, 2n ** 31n, 2n ** 53n + 1n];

export const int64s: Arbitrary<bigint> = fc.oneof(
  fc.bigInt({ min: MIN, max: MAX }),
  fc.bigInt({ min: -3n, max: 9n }),
  fc.constantFrom(...EDGES, MAX - 1n, MAX),
);
export const orderIds = int64s as Arbitrary<OrderId>;
export const petIds = int64s as Arbitrary<PetId>;

/** Ids that meet again and again, so that commands and events fall on the same orders. */
export const fewOrderIds = fc.constantFrom(
  MIN,
  -1n,
  0n,
  1n,
  2n,
  MAX - 1n,
  MAX,
) as Arbitrary<OrderId>;

const YEAR_0 = Date.parse('0000-01-01T00:00:00.000Z');
const YEAR_9999_ENDS = Date.parse('9999-12-31T23:59:59.999Z');

export const times: Arbitrary<number> = fc.oneof(
  fc.integer({ min: YEAR_0, max: YEAR_9999_ENDS }),
  fc.integer({ min: 0, max: Date.parse('2100-01-01T00:00:00.000Z') }),
  fc.constantFrom(YEAR_0, -1, 0, Date.parse('2024-02-29T23:59:59.999Z'), YEAR_9999_ENDS),
);
export const instants = times.map((time) => new Date(time).toISOString() as Instant);

/** Dates that are the same now and then. */
const fewInstants = fc.constantFrom(
  '2026-01-01T00:00:00.000Z',
  '2026-01-02T00:00:00.000Z',
) as Arbitrary<Instant>;
const shipDates = fc.oneof(fewInstants, instants);

const quantities = fc.oneof(
  fc.integer({ min: 1, max: 2_147_483_647 }),
  fc.constantFrom(1, 2_147_483_647),
);
const shipDateOrNone = fc.oneof(
  fc.constant({}),
  shipDates.map((shipDate) => ({ shipDate })),
);

// What placing an order, and what shipping it, says beside which order it is.
const placing = fc
  .tuple(record({ petId: petIds, quantity: quantities }), shipDateOrNone)
  .map(([numbers, date]) => ({ ...numbers, ...date }));
const shipping = record({ shipDate: shipDates });

/** Any event of the orders with these ids. */
export function eventsOf(ids: Arbitrary<OrderId>): Arbitrary<OrderEvent> {
  return fc.oneof(
    fc.tuple(ids, placing).map(([orderId, with_]): OrderEvent => {
      return { type: 'OrderPlaced', orderId, ...with_ };
    }),
    fc.tuple(ids, shipping).map(([orderId, with_]): OrderEvent => {
      return { type: 'OrderShipped', orderId, ...with_ };
    }),
    ids.map((orderId): OrderEvent => ({ type: 'OrderCancelled', orderId })),
  );
}

/** Any command to the orders with these ids. */
export function commandsTo(ids: Arbitrary<OrderId>): Arbitrary<OrderCommand> {
  return fc.oneof(
    fc.tuple(ids, placing).map(([orderId, with_]): OrderCommand => {
      return { type: 'PlaceOrder', orderId, ...with_ };
    }),
    fc.tuple(ids, shipping).map(([orderId, with_]): OrderCommand => {
      return { type: 'ShipOrder', orderId, ...with_ };
    }),
    ids.map((orderId): OrderCommand => ({ type: 'CancelOrder', orderId })),
  );
}

const placeNewOrders: Arbitrary<PlaceNewOrder> = placing.map((with_) => {
  return { type: 'PlaceNewOrder', ...with_ };
});

/** Any submission to the service about the orders with these ids, or for a new one. */
export function submissionsTo(ids: Arbitrary<OrderId>): Arbitrary<Submission> {
  return record({
    command: fc.oneof({ weight: 4, arbitrary: commandsTo(ids) }, placeNewOrders),
    by: fc.constantFrom('alice', 'bob'),
    commandId: fc.string(),
  });
}

/** Well-formed text of any script, with what JSON escapes and what it does not. */
export const texts: Arbitrary<string> = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.constantFrom('', '"', '\\', '\u0000', '\u001f\u007f', '\u2028\u2029', 'Ünï \u{1f436}'),
);

const metadata: Arbitrary<Metadata> = record({
  at: instants,
  by: texts,
  commandId: texts,
});

/** Anything that may be appended to a log, legal or not: an engine does not judge. */
export const newEvents: Arbitrary<NewEvent> = record({
  event: eventsOf(orderIds),
  version: fc.integer({ min: 1, max: 2_147_483_647 }),
  metadata,
});
