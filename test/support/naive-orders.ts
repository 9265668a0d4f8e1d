import fc, { type Arbitrary } from 'fast-check';
import type { RecordedEvent } from '../../src/app/log/recorded-event.ts';
import type { OrderDetails } from '../../src/app/state/order-list.ts';
import type { OrderEvent } from '../../src/domain/order.ts';
import type { OrderId } from '../../src/domain/order-id.ts';
import { fewOrderIds, submissionsTo } from './arbitraries.ts';
import { recorded, secondsApart } from './events.ts';
import { ModelStore } from './order-model.ts';

/** A reference implementation of the list of orders: a Map, sorted when it is read. */
export function naiveOrders(events: readonly RecordedEvent[]): OrderDetails[] {
  const orders = new Map<OrderId, OrderDetails>();
  for (const { event, version, metadata } of events) {
    const { at } = metadata;
    const id = event.orderId;
    const known = orders.get(id) as OrderDetails;
    if (event.type === 'OrderPlaced') {
      const { petId, quantity, shipDate } = event;
      const ends = { shippedAt: undefined, cancelledAt: undefined, cancelReason: undefined };
      const placed = { id, petId, quantity, shipDate, status: 'pending', placedAt: at } as const;
      orders.set(id, { ...placed, ...ends, version });
    } else if (event.type === 'OrderShipped') {
      const { shipDate } = event;
      orders.set(id, { ...known, shipDate, status: 'shipped', shippedAt: at, version });
    } else {
      const { reason: cancelReason } = event;
      orders.set(id, { ...known, status: 'cancelled', cancelledAt: at, cancelReason, version });
    }
  }
  return [...orders.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** Returns the events that a store records for arbitrary commands. */
export const histories: Arbitrary<RecordedEvent[]> = fc
  .array(submissionsTo(fewOrderIds), { maxLength: 40, size: 'max' })
  .map((submissions) => {
    const model = new ModelStore();
    for (const submission of submissions) model.submit(submission);
    return secondsApart(recorded(...model.recorded.map(({ event }) => event as OrderEvent)));
  });
