import { expect } from 'vitest';
import { rebuild } from '../../src/domain/decider.ts';
import {
  type OrderCommand,
  type OrderEvent,
  order,
  type Rejection,
} from '../../src/domain/order.ts';

/** Tests decisions: given the events of an order, when a command is decided, then … */
export function given(...history: readonly OrderEvent[]) {
  return {
    when(command: OrderCommand) {
      const decision = order.decide(command, rebuild(order, history));
      return {
        thenRecorded(...events: readonly OrderEvent[]): void {
          expect(decision).toStrictEqual({ kind: 'accepted', events });
        },
        thenNothing(): void {
          expect(decision).toStrictEqual({ kind: 'accepted', events: [] });
        },
        thenRejected(reason: Rejection): void {
          expect(decision).toStrictEqual({ kind: 'rejected', reason });
        },
      };
    },
  };
}
