import type { History, Row } from '../history/history.ts';
import { judgeOrder } from './one-order.ts';
import { ordersOf } from './orders.ts';
import { asRecorded, type Violation } from './violation.ts';
import { judgeLists } from './whole-store.ts';

/**
 * Returns a violation in a history of concurrent requests, or `undefined` if it is linearizable.
 * The store must have been empty, and used by no other client. docs/linearizability.md explains why
 * the check is sound, and complete except for one case.
 *
 * Throws if the history cannot be checked: see {@link Place}.
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
  // Lists are checked across orders only if each order on its own is correct.
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
