import type { History, Row } from '../history/history.ts';
import { judgeOrder } from './one-order.ts';
import { ordersOf } from './orders.ts';
import { asRecorded, type Violation } from './violation.ts';
import { judgeLists } from './whole-store.ts';

/**
 * What is wrong with a history of concurrent requests to a store that was empty before it, and of
 * which nobody else asked anything; nothing, if it is linearizable. docs/linearizability.md says
 * what is checked and why that is sound, and complete up to one case that it names.
 *
 * Throws where the history is none that can be judged: see {@link Place}.
 */
export function check(history: History): readonly Violation[] {
  const orders = ordersOf(history);
  const accused = new Set(orders.violations.flatMap(({ orders }) => orders));
  const violations = [
    ...unexpectedIn(history),
    ...orders.violations,
    ...orders.ids.flatMap((id, number) =>
      accused.has(id) ? [] : (judgeOrder(number, orders) ?? []),
    ),
  ];
  // Across the orders there is only something to say when each by itself is right.
  return violations.length > 0 ? violations : [judgeLists(orders) ?? []].flat();
}

function unexpectedIn(history: History): readonly Violation[] {
  return history.flatMap((operation): readonly Violation[] => {
    const { answer } = operation;
    if (answer.kind === 'unexpected') {
      const why = [`the server answered ${answer.words}`];
      return [{ rule: 'unexpected', orders: [], evidence: asRecorded(operation), why }];
    }
    const twice = answer.kind === 'listed' ? firstTwice(answer.orders) : undefined;
    if (twice === undefined) return [];
    const why = [`the list shows order ${twice} twice`];
    return [{ rule: 'unexpected', orders: [twice], evidence: asRecorded(operation), why }];
  });
}

function firstTwice(rows: readonly Row[]): bigint | undefined {
  const ids = new Set<bigint>();
  return rows.find(({ id }) => ids.size === ids.add(id).size)?.id;
}
