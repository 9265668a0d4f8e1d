import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type PresentOrder, planImport } from '../../../../src/app/import/import-plan.ts';
import type { ImportedOrder } from '../../../../src/app/import/imported-order.ts';
import { OrderList } from '../../../../src/app/state/order-list.ts';
import { rebuild } from '../../../../src/domain/decider.ts';
import type { Instant } from '../../../../src/domain/instant.ts';
import { type OrderCommand, type OrderEvent, order } from '../../../../src/domain/order.ts';
import type { OrderId, PetId } from '../../../../src/domain/order-id.ts';
import { eventsOf } from '../../../support/arbitraries.ts';

const ID = 7n as OrderId;
const PET = 3n as PetId;
const MONDAY = '2026-01-05T00:00:00.000Z' as Instant;
const TUESDAY = '2026-01-06T00:00:00.000Z' as Instant;

const expected = { id: ID, petId: PET, quantity: 2, shipDate: MONDAY };
const pending = { ...expected, status: 'pending' } as const;
const shipped = { ...expected, status: 'shipped' } as const;
const cancelled = { ...expected, status: 'cancelled' } as const;

const place = { type: 'PlaceOrder', orderId: ID, petId: PET, quantity: 2 } as const;
const ship = { type: 'ShipOrder', orderId: ID, shipDate: MONDAY } as const;
const cancel = { type: 'CancelOrder', orderId: ID } as const;

/** Given an order as it is, when a file says what it is to be, then … */
function given(present: PresentOrder | undefined) {
  return {
    when(wanted: ImportedOrder) {
      const plan = planImport(wanted, present);
      return {
        thenPlanned(...commands: readonly OrderCommand[]): void {
          expect(plan).toStrictEqual({ kind: 'possible', commands });
        },
        thenImpossible(fact: string): void {
          const reason = `the order is there already, with ${fact}`;
          expect(plan).toStrictEqual({ kind: 'impossible', reason });
        },
      };
    },
  };
}

test('a new order is placed, with the date that is expected', () => {
  given(undefined)
    .when(pending)
    .thenPlanned({ ...place, shipDate: MONDAY });
  given(undefined)
    .when({ ...pending, shipDate: undefined })
    .thenPlanned(place);
});

test('a new order that was shipped is placed without a date, and shipped on its date', () => {
  given(undefined).when(shipped).thenPlanned(place, ship);
});

test('a new order that was cancelled is placed and cancelled', () => {
  given(undefined)
    .when(cancelled)
    .thenPlanned({ ...place, shipDate: MONDAY }, cancel);
  given(undefined)
    .when({ ...cancelled, shipDate: undefined })
    .thenPlanned(place, cancel);
});

test('a pending order is taken to where the file says it is', () => {
  given(pending).when(shipped).thenPlanned(ship);
  given(pending).when(cancelled).thenPlanned(cancel);
});

test('an order that is what the file says is left alone', () => {
  for (const present of [pending, shipped, cancelled]) given(present).when(present).thenPlanned();
});

test('an order that is further than the file says is left alone', () => {
  given(shipped)
    .when({ ...pending, shipDate: TUESDAY })
    .thenPlanned();
  given(cancelled).when(pending).thenPlanned();
});

test('another expected date is no contradiction: it was only expected', () => {
  given(pending)
    .when({ ...pending, shipDate: TUESDAY })
    .thenPlanned();
  given(cancelled)
    .when({ ...cancelled, shipDate: undefined })
    .thenPlanned();
});

test('another pet or quantity is a contradiction, whatever the status', () => {
  for (const present of [pending, shipped, cancelled]) {
    for (const wanted of [pending, shipped, cancelled]) {
      given(present)
        .when({ ...wanted, petId: 4n as PetId })
        .thenImpossible('petId 3');
      given(present)
        .when({ ...wanted, quantity: 1 })
        .thenImpossible('quantity 2');
    }
  }
});

test('an order cannot have ended in two ways', () => {
  given(shipped).when(cancelled).thenImpossible('status shipped');
  given(cancelled).when(shipped).thenImpossible('status cancelled');
  given(shipped)
    .when({ ...shipped, shipDate: TUESDAY })
    .thenImpossible(`shipDate ${MONDAY}`);
});

const ids = fc.constant(ID);

/** An order's history as the write side would have recorded it, from any events. */
const histories = fc.array(eventsOf(ids), { maxLength: 6 }).map((events) => {
  const history: OrderEvent[] = [];
  for (const event of events) {
    const state = rebuild(order, history);
    const legal = event.type === 'OrderPlaced' ? 'none' : 'pending';
    if (state.status === legal) history.push(event);
  }
  return history;
});

function viewOf(history: readonly OrderEvent[]): PresentOrder | undefined {
  const list = new OrderList(() => undefined);
  const metadata = { at: MONDAY, by: 'test', commandId: 'test' };
  for (const [index, event] of history.entries()) {
    list.fold({ event, version: index + 1, position: index + 1, metadata });
  }
  return list.get(ID);
}

/** The events that commands lead to; every one of them has to be accepted. */
function carriedOut(history: readonly OrderEvent[], commands: readonly OrderCommand[]) {
  const events = [...history];
  for (const command of commands) {
    const decision = order.decide(command, rebuild(order, events));
    if (decision.kind === 'rejected') throw new Error(decision.reason);
    events.push(...decision.events);
  }
  return events;
}

test('an order is cancelled for the reason that the file gives', () => {
  given(pending)
    .when({ ...cancelled, cancelReason: 'duplicate' })
    .thenPlanned({ ...cancel, reason: 'duplicate' });
});

test('an order that is cancelled is left alone, unless the file gives another reason', () => {
  const duplicate = { ...cancelled, cancelReason: 'duplicate' } as const;
  given(duplicate).when(duplicate).thenPlanned();
  given(duplicate).when(cancelled).thenPlanned();
  given(duplicate)
    .when({ ...cancelled, cancelReason: 'other' })
    .thenImpossible('cancelReason duplicate');
  given(cancelled).when(duplicate).thenImpossible('no cancelReason');
});

test('what is planned is accepted, and then nothing is left to do', () => {
  fc.assert(
    fc.property(histories, histories, (past, other) => {
      const wanted = viewOf(other) as ImportedOrder | undefined;
      fc.pre(wanted !== undefined);
      const plan = planImport(wanted, viewOf(past));
      if (plan.kind === 'impossible') return;
      const view = viewOf(carriedOut(past, plan.commands));
      expect(planImport(wanted, view)).toEqual({ kind: 'possible', commands: [] });
      if (past.length === 0) expect(view).toEqual(wanted);
    }),
  );
});
