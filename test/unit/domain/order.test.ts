import { describe, expect, it } from 'vitest';
import type { Instant } from '../../../src/domain/instant.ts';
import {
  CANCEL_REASONS,
  type CancelOrder,
  type OrderCancelled,
  type OrderPlaced,
  type OrderShipped,
  order,
  type PlaceOrder,
  type ShipOrder,
} from '../../../src/domain/order.ts';
import type { OrderId, PetId } from '../../../src/domain/order-id.ts';
import { given } from '../../support/given.ts';

const orderId = 9007199254740993n as OrderId;
const petId = 7n as PetId;
const monday = '2026-03-02T09:00:00.000Z' as Instant;
const tuesday = '2026-03-03T09:00:00.000Z' as Instant;

const placed: OrderPlaced = { type: 'OrderPlaced', orderId, petId, quantity: 2 };
const shipped: OrderShipped = { type: 'OrderShipped', orderId, shipDate: monday };
const cancelled: OrderCancelled = { type: 'OrderCancelled', orderId };

const place: PlaceOrder = { type: 'PlaceOrder', orderId, petId, quantity: 2 };
const shipOnMonday: ShipOrder = { type: 'ShipOrder', orderId, shipDate: monday };
const shipOnTuesday: ShipOrder = { type: 'ShipOrder', orderId, shipDate: tuesday };
const cancel: CancelOrder = { type: 'CancelOrder', orderId };
const cancelAsDuplicate: CancelOrder = { ...cancel, reason: 'duplicate' };
const cancelledAsDuplicate: OrderCancelled = { ...cancelled, reason: 'duplicate' };

describe('an order that does not exist', () => {
  it('is placed', () => {
    given().when(place).thenRecorded(placed);
  });

  it('is placed with the date on which it is expected to ship', () => {
    given()
      .when({ ...place, shipDate: tuesday })
      .thenRecorded({ ...placed, shipDate: tuesday });
  });

  it('cannot be shipped', () => {
    given().when(shipOnMonday).thenRejected('order_not_found');
  });

  it('cannot be cancelled', () => {
    given().when(cancel).thenRejected('order_not_found');
  });
});

describe('a pending order', () => {
  it('cannot be placed again', () => {
    given(placed).when(place).thenRejected('order_exists');
  });

  it('is shipped', () => {
    given(placed).when(shipOnMonday).thenRecorded(shipped);
  });

  it('is shipped on another date than was expected', () => {
    given({ ...placed, shipDate: tuesday })
      .when(shipOnMonday)
      .thenRecorded(shipped);
  });

  it('is cancelled', () => {
    given(placed).when(cancel).thenRecorded(cancelled);
  });

  it('is cancelled for a reason', () => {
    given(placed).when(cancelAsDuplicate).thenRecorded(cancelledAsDuplicate);
  });
});

describe('a shipped order', () => {
  it('cannot be placed again', () => {
    given(placed, shipped).when(place).thenRejected('order_exists');
  });

  it('is unchanged when the same shipment is reported again', () => {
    given(placed, shipped).when(shipOnMonday).thenNothing();
  });

  it('cannot be shipped on another date', () => {
    given(placed, shipped).when(shipOnTuesday).thenRejected('order_already_shipped');
  });

  it('cannot be cancelled, because shipping cannot be reversed', () => {
    given(placed, shipped).when(cancel).thenRejected('order_already_shipped');
    given(placed, shipped).when(cancelAsDuplicate).thenRejected('order_already_shipped');
  });
});

describe('a cancelled order', () => {
  it('cannot be placed again', () => {
    given(placed, cancelled).when(place).thenRejected('order_exists');
  });

  it('cannot be shipped', () => {
    given(placed, cancelled).when(shipOnMonday).thenRejected('order_cancelled');
  });

  it('is unchanged when it is cancelled again: a client that lost the response gets the same one', () => {
    given(placed, cancelled).when(cancel).thenNothing();
    given(placed, cancelledAsDuplicate).when(cancelAsDuplicate).thenNothing();
  });

  it('stays as it is when it is cancelled again without a reason', () => {
    given(placed, cancelledAsDuplicate).when(cancel).thenNothing();
  });

  it('cannot be cancelled for another reason, or for one that was not given at the time', () => {
    given(placed, cancelledAsDuplicate)
      .when({ ...cancel, reason: 'other' })
      .thenRejected('order_cancelled');
    given(placed, cancelled).when(cancelAsDuplicate).thenRejected('order_cancelled');
  });
});

describe('the reasons for a cancellation', () => {
  it('are a closed list of words, so that no event holds what somebody has typed', () => {
    expect(CANCEL_REASONS).toStrictEqual([
      'customer_request',
      'out_of_stock',
      'payment_failed',
      'fraud_suspected',
      'duplicate',
      'other',
    ]);
  });
});

describe('the state of an order', () => {
  it('is nothing before its first event', () => {
    expect(order.initial).toStrictEqual({ status: 'none' });
  });

  it.each([
    { event: placed, state: { status: 'pending' } },
    { event: shipped, state: { status: 'shipped', shipDate: monday } },
    { event: cancelled, state: { status: 'cancelled' } },
    { event: cancelledAsDuplicate, state: { status: 'cancelled', reason: 'duplicate' } },
  ])('after $event.type is that it is $state.status', ({ event, state }) => {
    expect(order.evolve(order.initial, event)).toStrictEqual(state);
  });
});
