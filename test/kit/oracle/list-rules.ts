import type { Order } from '../vocabulary.ts';
import { asTexts } from './differing.ts';

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
    const alike = ids.find((id) => `${id}` === `${missing.id}`);
    const [there, lost] = alike === undefined ? [] : asTexts(alike, missing.id);
    const detail = there ? `${lost} is missing, and ${there} is there` : `${missing.id} is missing`;
    return { rule: 'the list has every order', detail };
  }
  const placed = new Map(expected.map((order) => [order.id, order]));
  for (const order of shown) {
    const broken = brokenOrderRule(order, placed.get(order.id));
    if (broken !== undefined) return broken;
  }
  return undefined;
}

const NUMBERS = ['id', 'petId', 'quantity'] as const;

/** Returns the first rule that an order violates which should equal `expected`. */
export function brokenOrderRule(
  shown: Order,
  expected: Order | undefined,
): BrokenListRule | undefined {
  if (expected === undefined) {
    return { rule: 'the list has no order that nobody placed', detail: `${shown.id} is there` };
  }
  const { id, complete, shipDate } = expected;
  if (shown.complete !== complete) {
    const [one, other] = asTexts(shown.complete, complete);
    return {
      rule: 'an order is complete once it is shipped, and not before',
      detail: `${id} has complete: ${one}, and should have ${other}`,
    };
  }
  if (shown.shipDate !== shipDate) {
    const [one, other] = asTexts(shown.shipDate, shipDate);
    return {
      rule: 'the ship date is the expected one, and the actual one once it is shipped',
      detail: `${id} has ${one} and should have ${other}`,
    };
  }
  const differing = NUMBERS.filter((name) => shown[name] !== expected[name]).map((name) => {
    const [one, other] = asTexts(shown[name], expected[name]);
    return { has: `${name} ${one}`, due: `${name} ${other}` };
  });
  if (differing.length === 0) return undefined;
  const [has, due] = [differing.map((each) => each.has), differing.map((each) => each.due)];
  return {
    rule: 'an order is shown as it was placed, to the last digit',
    detail: `${id} has ${has.join(' and ')}, and should have ${due.join(' and ')}`,
  };
}
