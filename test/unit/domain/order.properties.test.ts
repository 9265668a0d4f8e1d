import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rebuild } from '../../../src/domain/decider.ts';
import {
  MAX_EVENTS_PER_ORDER,
  type OrderCommand,
  type OrderEvent,
  type OrderState,
  order,
} from '../../../src/domain/order.ts';
import type { OrderId } from '../../../src/domain/order-id.ts';
import { ask, NO_ORDER } from '../../kit/oracle/table.ts';
import { commandsTo, eventsOf } from '../../support/arbitraries.ts';

const one = fc.constant(1n as OrderId);
const commandHistories = fc.array(commandsTo(one), { maxLength: 30 });
const eventHistories = fc.array(eventsOf(one), { maxLength: 30 });

const isEnding = ({ type }: OrderEvent) => type === 'OrderShipped' || type === 'OrderCancelled';

/** Runs commands on one order; for each, the state before it, the decision and the state after. */
function run(commands: readonly OrderCommand[]) {
  let state = order.initial;
  return commands.map((command) => {
    const before = state;
    const decision = order.decide(command, before);
    const events = decision.kind === 'accepted' ? decision.events : [];
    state = events.reduce(order.evolve, before);
    return { command, before, decision, events, after: state };
  });
}

function recorded(commands: readonly OrderCommand[]): OrderEvent[] {
  return run(commands).flatMap(({ events }) => events);
}

describe('for any commands on an order, in any sequence', () => {
  it('it ends once at most, and nothing happens to it after its end', () => {
    fc.assert(
      fc.property(commandHistories, (commands) => {
        const events = recorded(commands);
        const end = events.findIndex(isEnding);
        expect(end === -1 || end === events.length - 1).toBe(true);
      }),
    );
  });

  it('it has no more events than the law of two allows, and some commands lead to as many', () => {
    let most = 0;
    fc.assert(
      fc.property(commandHistories, (commands) => {
        const { length } = recorded(commands);
        most = Math.max(most, length);
        expect(length).toBeLessThanOrEqual(MAX_EVENTS_PER_ORDER);
      }),
    );
    expect(most).toBe(MAX_EVENTS_PER_ORDER);
  });

  it('no command adds an event to an order that has as many as allowed', () => {
    fc.assert(
      fc.property(commandHistories, commandsTo(one), (commands, command) => {
        const events = recorded(commands);
        fc.pre(events.length === MAX_EVENTS_PER_ORDER);
        const decision = order.decide(command, rebuild(order, events));
        expect(decision.kind === 'accepted' ? decision.events : []).toStrictEqual([]);
      }),
    );
  });

  it('it is placed once, before everything else', () => {
    fc.assert(
      fc.property(commandHistories, (commands) => {
        const types = recorded(commands).map(({ type }) => type);
        expect(types.lastIndexOf('OrderPlaced')).toBe(types.length === 0 ? -1 : 0);
      }),
    );
  });

  it('it is cancelled only while it is pending', () => {
    fc.assert(
      fc.property(commandHistories, (commands) => {
        for (const { before, events } of run(commands)) {
          const cancelled = events.some(({ type }) => type === 'OrderCancelled');
          if (cancelled) expect(before.status).toBe('pending');
        }
      }),
    );
  });

  it('repeating an accepted command records nothing, unless it places an order', () => {
    fc.assert(
      fc.property(commandHistories, commandsTo(one), (history, command) => {
        fc.pre(command.type !== 'PlaceOrder');
        const last = run([...history, command]).at(-1);
        fc.pre(last?.decision.kind === 'accepted');
        const again = order.decide(command, last?.after as OrderState);
        expect(again).toStrictEqual({ kind: 'accepted', events: [] });
      }),
    );
  });

  it('a rejection has no events and leaves the state unchanged', () => {
    fc.assert(
      fc.property(commandHistories, (commands) => {
        for (const { before, decision, after } of run(commands)) {
          if (decision.kind === 'rejected') expect(after).toBe(before);
        }
      }),
    );
  });

  it('the answers are those of the plain table', () => {
    fc.assert(
      fc.property(commandHistories, (commands) => {
        let model = NO_ORDER;
        for (const { command, decision, after } of run(commands)) {
          const { answer, order: next } = ask(model, command);
          model = next;
          if (answer === 'nothing to do') {
            expect(decision).toStrictEqual({ kind: 'accepted', events: [] });
          } else if ('refused' in answer) {
            expect(decision).toStrictEqual({ kind: 'rejected', reason: answer.refused });
          } else {
            const event = { ...command, type: answer.event };
            expect(decision).toStrictEqual({ kind: 'accepted', events: [event] });
          }
          const { status, shippedOn: shipDate, cancelledFor: reason } = model;
          const end = shipDate === undefined ? {} : { shipDate };
          const why = reason === undefined ? {} : { reason };
          expect(after).toStrictEqual({ status, ...end, ...why });
        }
      }),
      { numRuns: 500 },
    );
  });

  it('the first events of its history rebuild its state of that time', () => {
    fc.assert(
      fc.property(commandHistories, (commands) => {
        const events: OrderEvent[] = [];
        for (const step of run(commands)) {
          events.push(...step.events);
          expect(rebuild(order, events)).toStrictEqual(step.after);
        }
      }),
    );
  });
});

describe('evolving an order', () => {
  it('works for every history, legal or not, and remembers nothing but the last fact', () => {
    fc.assert(
      fc.property(eventHistories, eventsOf(one), (history, last) => {
        const state = rebuild(order, [...history, last]);
        expect(state).toStrictEqual(rebuild(order, [last]));
        expect(state.status).not.toBe('none');
      }),
    );
  });

  it('changes neither the state nor the event that it is given', () => {
    fc.assert(
      fc.property(eventHistories, (history) => {
        let state: OrderState = Object.freeze(order.initial);
        for (const event of history) {
          const before = structuredClone(state);
          const next = order.evolve(state, Object.freeze(event));
          expect(state).toStrictEqual(before);
          state = Object.freeze(next);
        }
      }),
    );
  });

  it('does not modify the command either', () => {
    fc.assert(
      fc.property(commandHistories, commandsTo(one), (history, command) => {
        const state = rebuild(order, recorded(history));
        const before = structuredClone(command);
        order.decide(Object.freeze(command), Object.freeze(state));
        expect(command).toStrictEqual(before);
      }),
    );
  });
});
