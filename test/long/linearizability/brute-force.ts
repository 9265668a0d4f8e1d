import type { History, Operation, Row } from '../../kit/history/history.ts';
import { after, NO_ORDER, type OrderState } from '../../kit/linearizability/order-table.ts';

/**
 * Returns true if a history is linearizable, by the definition: there is an order of all answered
 * requests, and of some others, in which none comes before one that was over when it was made, and
 * in which a store that executes one after another gives the same answers. Tries every order, treats
 * lists like any other request, and remembers nothing. For histories of a few requests.
 */
export function isLinearizable(history: History): boolean {
  const asked = history.filter(({ answer }) => answer.kind !== 'untouched');
  return canGoOn(new Map(), asked);
}

type Store = ReadonlyMap<bigint, OrderState>;

function canGoOn(store: Store, left: readonly Operation[]): boolean {
  if (left.every(({ answer }) => answer.kind === 'unknown')) return true;
  return left.some((next) => {
    if (left.some(({ returned }) => returned < next.invoked)) return false;
    const others = left.filter((other) => other !== next);
    return storesAfter(store, next).some((after) => canGoOn(after, others));
  });
}

/** The stores that there may be after an operation; none where it cannot be answered so. */
function storesAfter(store: Store, { request, answer }: Operation): readonly Store[] {
  if (request.kind === 'list') {
    return answer.kind === 'listed' && !isListOf(store, answer.orders) ? [] : [store];
  }
  return idsFor(store, { request, answer }).flatMap((id) => {
    const next = after(store.get(id) ?? NO_ORDER, { request, answer });
    return next === undefined ? [] : [new Map([...store, [id, next]])];
  });
}

/** The ids of a few orders, which is all that there are in such a history. */
const IDS = [1n, 2n, 3n, 4n, 5n];

function idsFor(store: Store, { request, answer }: Pick<Operation, 'request' | 'answer'>) {
  if (request.kind === 'list') return [];
  if (request.kind !== 'place') return [request.id];
  if (request.id !== undefined) return [request.id];
  if (answer.kind === 'accepted') return [answer.id];
  // Nobody was told which id it was given, if any.
  return IDS.filter((id) => (store.get(id) ?? NO_ORDER).status === 'none');
}

function isListOf(store: Store, rows: readonly Row[]): boolean {
  const orders = [...store].filter(([, { status }]) => status !== 'none');
  return (
    orders.length === rows.length &&
    orders.every(([id, state]) => {
      const order = rows.find((row) => row.id === id);
      if (order === undefined) return false;
      const looked = { request: { kind: 'get', id }, answer: { kind: 'shown', order } } as const;
      return after(state, looked) !== undefined;
    })
  );
}
