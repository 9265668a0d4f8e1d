/** The history of one order: each event with the state after it, and the time since the one before. */
import type { Order, OrderEvent } from '../../client/client.ts';
import { millisecondsOf } from './clock.ts';

export interface Step {
  readonly event: OrderEvent;
  /** Absent where it cannot be known: a newer service may have events of a type that this page has not. */
  readonly state?: Order | undefined;
  /** The time since the event before, in milliseconds; absent for the first one. */
  readonly gapMs?: number;
}

/** Folds the events of an order, the oldest first. Returns one step for each. */
export function stepsOf(events: readonly OrderEvent[]): readonly Step[] {
  const steps: Step[] = [];
  for (const event of events) {
    const before = steps.at(-1);
    const state = stateAfter(before?.state, event);
    const gap = before && millisecondsOf(event.time) - millisecondsOf(before.event.time);
    steps.push({ event, state, ...(gap !== undefined && { gapMs: gap }) });
  }
  return steps;
}

/** Returns the steps up to a position of the log: the last one has the state as of then. */
export function stepsUpTo(steps: readonly Step[], position: number): readonly Step[] {
  return steps.filter(({ event }) => event.position <= position);
}

/** Returns the state of an order after an event, in the form of the API. */
function stateAfter(before: Order | undefined, event: OrderEvent): Order | undefined {
  switch (event.type) {
    case 'OrderPlaced': {
      const { orderId, petId, quantity, shipDate } = event.data;
      const date = shipDate === undefined ? {} : { shipDate };
      const state = { status: 'pending', complete: false, placedAt: event.time } as const;
      return { id: orderId, petId, quantity, ...date, ...state };
    }
    case 'OrderShipped': {
      const { shipDate } = event.data;
      const state = { status: 'shipped', complete: true, shippedAt: event.time } as const;
      return before && { ...before, shipDate, ...state };
    }
    case 'OrderCancelled': {
      const { reason } = event.data;
      const why = reason === undefined ? {} : { cancelReason: reason };
      return before && { ...before, status: 'cancelled', cancelledAt: event.time, ...why };
    }
  }
}
