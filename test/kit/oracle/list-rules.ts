import type { Order } from '../vocabulary.ts';

/** The rules of a list, by the names in reports of violations. */
export type ListRule =
  | 'the list is sorted by id'
  | 'the list has no order twice'
  | 'the list has every order'
  | 'the list has no order that nobody placed'
  | 'an order is complete once it is shipped, and not before'
  | 'the ship date is the expected one, and the actual one once it is shipped'
  | 'an order is shown as it was placed, to the last digit';

export interface BrokenListRule {
  readonly rule: ListRule;
  readonly detail: string;
}

/** Returns the first rule that a list violates which should equal `expected`. */
export function brokenListRule(
  shown: readonly Order[],
  expected: readonly Order[],
): BrokenListRule | undefined {
  const ids = shown.map(({ id }) => id);
  const unsorted = ids.findIndex((id, index) => id < (ids[index - 1] ?? id));
  if (unsorted !== -1) {
    return {
      rule: 'the list is sorted by id',
      detail: `${ids[unsorted]} comes after ${ids[unsorted - 1]}`,
    };
  }
  const twice = ids.find((id, index) => id === ids[index - 1]);
  if (twice !== undefined) return { rule: 'the list has no order twice', detail: `${twice}` };
  const known = new Set(ids);
  const missing = expected.find(({ id }) => !known.has(id));
  if (missing !== undefined) {
    return { rule: 'the list has every order', detail: `${missing.id} is missing` };
  }
  const placed = new Map(expected.map((order) => [order.id, order]));
  for (const order of shown) {
    const broken = brokenOrderRule(order, placed.get(order.id));
    if (broken !== undefined) return broken;
  }
  return undefined;
}

/** Returns the first rule that an order violates which should equal `expected`. */
export function brokenOrderRule(
  shown: Order,
  expected: Order | undefined,
): BrokenListRule | undefined {
  if (expected === undefined) {
    return { rule: 'the list has no order that nobody placed', detail: `${shown.id} is there` };
  }
  const { id, complete, shipDate, petId, quantity } = expected;
  if (shown.complete !== complete) {
    return {
      rule: 'an order is complete once it is shipped, and not before',
      detail: `${id} has complete: ${shown.complete}`,
    };
  }
  if (shown.shipDate !== shipDate) {
    return {
      rule: 'the ship date is the expected one, and the actual one once it is shipped',
      detail: `${id} has ${shown.shipDate ?? 'none'} and should have ${shipDate ?? 'none'}`,
    };
  }
  if (shown.id !== id || shown.petId !== petId || shown.quantity !== quantity) {
    return {
      rule: 'an order is shown as it was placed, to the last digit',
      detail:
        `${shown.id} has petId ${shown.petId} and quantity ${shown.quantity}, ` +
        `and should have ${petId} and ${quantity}`,
    };
  }
  return undefined;
}
