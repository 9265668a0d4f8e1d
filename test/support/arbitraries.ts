import fc, { type Arbitrary } from 'fast-check';
import type { Metadata, NewEvent } from '../../src/app/log/recorded-event.ts';
import type { PlaceNewOrder, Submission } from '../../src/app/log/submission.ts';
import type { Instant } from '../../src/domain/instant.ts';
import { CANCEL_REASONS, type OrderCommand, type OrderEvent } from '../../src/domain/order.ts';
import type { OrderId, PetId } from '../../src/domain/order-id.ts';
import * as kit from '../kit/arbitraries.ts';
import { anyText } from './any-text.ts';

/** The kit's arbitraries in the types of the service, and arbitraries of the service alone. */

export const orderIds = kit.int64s as Arbitrary<OrderId>;
export const petIds = kit.int64s as Arbitrary<PetId>;
export const fewOrderIds = kit.fewIds as Arbitrary<OrderId>;
export const instants = kit.instants as Arbitrary<Instant>;

/** Draws any event of the orders with these ids. */
export function eventsOf(ids: Arbitrary<OrderId>): Arbitrary<OrderEvent> {
  return kit.eventsOf(ids, CANCEL_REASONS) as Arbitrary<OrderEvent>;
}

/** Draws any command to the orders with these ids. */
export function commandsTo(ids: Arbitrary<OrderId>): Arbitrary<OrderCommand> {
  return kit.commandsTo(ids, CANCEL_REASONS) as Arbitrary<OrderCommand>;
}

const placeNewOrders = kit.placings.map((placing) => {
  return { type: 'PlaceNewOrder', ...placing } as PlaceNewOrder;
});

/** Draws any submission to the service about the orders with these ids, or for a new one. */
export function submissionsTo(ids: Arbitrary<OrderId>): Arbitrary<Submission> {
  return kit.record({
    command: fc.oneof({ weight: 4, arbitrary: commandsTo(ids) }, placeNewOrders),
    by: fc.constantFrom('alice', 'bob'),
    commandId: fc.string(),
  });
}

/** Well-formed text of any script, with and without characters that JSON escapes. */
export const texts: Arbitrary<string> = fc.oneof(
  fc.string(),
  anyText(),
  fc.constantFrom('', '"', '\\', '\u0000', '\u001f\u007f', '\u2028\u2029', 'Ünï \u{1f436}'),
);

const metadata: Arbitrary<Metadata> = kit.record({
  at: instants,
  by: texts,
  commandId: texts,
});

/** Draws events to append to a log, legal or not: engines do not check the rules of orders. */
export const newEvents: Arbitrary<NewEvent> = kit.record({
  event: eventsOf(orderIds),
  version: fc.integer({ min: 1, max: 2_147_483_647 }),
  metadata,
});
