import { expect, test } from 'vitest';
import { EVENT_TYPES } from '../../../src/app/log/recorded-event.ts';
import {
  COMMAND_TYPES,
  MAX_EVENTS_PER_ORDER,
  type OrderCommand,
  type OrderEvent,
  type OrderState,
  order,
} from '../../../src/domain/order.ts';
import {
  hasShipped,
  isComplete,
  LIVES,
  STATUSES,
  statusAfter,
} from '../../../src/domain/order-lives.ts';
import { cancelled, placed, shipped } from '../../support/events.ts';

const EVENTS = [placed(1n), shipped(1n), cancelled(1n)];

test('The lives of orders are those that the domain decides', () => {
  expect(EVENTS.map(({ type }) => type)).toStrictEqual(EVENT_TYPES);
  const decided: [status: string, types: readonly OrderEvent['type'][]][] = [];
  const follow = (state: OrderState, types: readonly OrderEvent['type'][]) => {
    for (const wanted of EVENTS) {
      const command = { ...wanted, type: COMMAND_TYPES[wanted.type] } as OrderCommand;
      const decision = order.decide(command, state);
      for (const event of decision.kind === 'accepted' ? decision.events : []) {
        const after = order.evolve(state, event);
        const life = [...types, event.type];
        decided.push([after.status, life]);
        expect(after.status).toBe(statusAfter(event.type));
        follow(after, life);
      }
    }
  };
  follow(order.initial, []);
  expect(Object.fromEntries(decided)).toStrictEqual(LIVES);
  expect(decided).toHaveLength(Object.keys(LIVES).length);
  expect(Math.max(...decided.map(([, { length }]) => length))).toBe(MAX_EVENTS_PER_ORDER);
});

test('A status says whether an order has shipped, and whether it is fulfilled', () => {
  expect(STATUSES.filter(hasShipped)).toStrictEqual(['shipped']);
  expect(STATUSES.filter(isComplete)).toStrictEqual(['shipped']);
});
