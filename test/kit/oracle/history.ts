import type { OrderEvent } from '../vocabulary.ts';

/** The rules that a history of events can violate. */
export const HISTORY_RULES = [
  'an order is placed before anything else happens to it',
  'an order is placed once',
  'a shipped order is not shipped again',
  'a shipped order is not cancelled',
  'a cancelled order is not cancelled again',
  'a cancelled order is not shipped',
] as const;

export type HistoryRule = (typeof HISTORY_RULES)[number];

type Type = OrderEvent['type'];

/** The violated rules, by the last event of an order and the next one. */
const BROKEN: Readonly<Record<Type | 'nothing', Readonly<Partial<Record<Type, HistoryRule>>>>> = {
  nothing: { OrderShipped: HISTORY_RULES[0], OrderCancelled: HISTORY_RULES[0] },
  OrderPlaced: { OrderPlaced: HISTORY_RULES[1] },
  OrderShipped: {
    OrderPlaced: HISTORY_RULES[1],
    OrderShipped: HISTORY_RULES[2],
    OrderCancelled: HISTORY_RULES[3],
  },
  OrderCancelled: {
    OrderPlaced: HISTORY_RULES[1],
    OrderCancelled: HISTORY_RULES[4],
    OrderShipped: HISTORY_RULES[5],
  },
};

/**
 * Returns the first violation in a history, if any: the rule, and the index of the event from 0.
 */
export function brokenHistoryRule(
  events: readonly OrderEvent[],
): { readonly rule: HistoryRule; readonly at: number } | undefined {
  const last = new Map<bigint, Type>();
  for (const [at, { type, orderId }] of events.entries()) {
    const rule = BROKEN[last.get(orderId) ?? 'nothing'][type];
    if (rule !== undefined) return { rule, at };
    last.set(orderId, type);
  }
  return undefined;
}
