import fc, { type Arbitrary } from 'fast-check';
import { illegal, MAX_BEFORE } from './aggregate/histories.ts';
import { commandsTo, eventsOf, fewIds, placings, shippings } from './arbitraries.ts';
import { brokenHistoryRule, HISTORY_RULES, type HistoryRule } from './oracle/history.ts';
import { OracleStore } from './oracle/store.ts';
import type { OrderEvent } from './vocabulary.ts';

/** The most events after the illegal one. */
const MAX_AFTER = 5;

/** A history, with the rule that it violates and the violating event. */
export interface IllegalHistory {
  readonly events: readonly OrderEvent[];
  readonly rule: HistoryRule;
  /** The index of the first event that violates a rule, from 0. */
  readonly at: number;
}

/** Draws the events that a store records for arbitrary commands to the orders with these ids. */
export function legalHistories(
  ids: Arbitrary<bigint> = fewIds,
  maxLength = 40,
): Arbitrary<readonly OrderEvent[]> {
  return fc.array(commandsTo(ids), { maxLength }).map((commands) => {
    const store = new OracleStore();
    for (const command of commands) store.submit(command);
    return store.events;
  });
}

/** The events of an order before the one that breaks a rule, and the types of that one. */
const WAYS: Readonly<Record<HistoryRule, readonly (readonly [before: Types, wrong: Types])[]>> = {
  [HISTORY_RULES[0]]: [[[], ['OrderShipped', 'OrderCancelled']]],
  [HISTORY_RULES[1]]: [
    [['OrderPlaced'], ['OrderPlaced']],
    [['OrderPlaced', 'OrderShipped'], ['OrderPlaced']],
    [['OrderPlaced', 'OrderCancelled'], ['OrderPlaced']],
  ],
  [HISTORY_RULES[2]]: [[['OrderPlaced', 'OrderShipped'], ['OrderShipped']]],
  [HISTORY_RULES[3]]: [[['OrderPlaced', 'OrderShipped'], ['OrderCancelled']]],
  [HISTORY_RULES[4]]: [[['OrderPlaced', 'OrderCancelled'], ['OrderCancelled']]],
  [HISTORY_RULES[5]]: [[['OrderPlaced', 'OrderCancelled'], ['OrderShipped']]],
};

type Types = readonly OrderEvent['type'][];

/**
 * Draws a legal history, then an illegal event, then any events. Each rule is broken by one of seven
 * histories at least.
 */
export function illegalHistories(ids: Arbitrary<bigint> = fewIds): Arbitrary<IllegalHistory> {
  // By chance alone, five of six events break the first rule, and one of eighty each of the last four.
  const byChance = illegal(legalHistories(ids, MAX_BEFORE), eventsOf(ids), brokenHistoryRule);
  return fc.oneof(byChance, { weight: HISTORY_RULES.length, arbitrary: byRule(ids) });
}

/** Draws the same with each rule as often as any other: what leads there comes last before it. */
function byRule(ids: Arbitrary<bigint>): Arbitrary<IllegalHistory> {
  const ways = HISTORY_RULES.map((rule) => fc.constantFrom(...WAYS[rule]));
  const after = fc.array(eventsOf(ids), { maxLength: MAX_AFTER });
  return fc
    .tuple(legalHistories(ids, MAX_BEFORE), ids, fc.oneof(...ways), after)
    .chain(([legal, id, [before, wrong], later]) => {
      const others = legal.filter(({ orderId }) => orderId !== id);
      const own = fc.tuple(...before.map((type) => eventOf(id, type)));
      const last = fc.constantFrom(...wrong).chain((type) => eventOf(id, type));
      return fc.tuple(own, last).map(([events, event]): IllegalHistory => {
        const first = [...others, ...events, event];
        const broken = brokenHistoryRule(first) as Pick<IllegalHistory, 'rule' | 'at'>;
        return { ...broken, events: [...first, ...later] };
      });
    });
}

/** Draws an event of one type. */
function eventOf(orderId: bigint, type: OrderEvent['type']): Arbitrary<OrderEvent> {
  switch (type) {
    case 'OrderPlaced':
      return placings.map((rest) => ({ type, orderId, ...rest }));
    case 'OrderShipped':
      return shippings.map((rest) => ({ type, orderId, ...rest }));
    case 'OrderCancelled':
      return fc.constant({ type, orderId });
  }
}
