import type { OrderEvent } from '../vocabulary.ts';

/** Recorded trails as tests of the specification, which replays them with trails.qnt. */

/** A module of the specification's language. */
export interface TrailModule {
  readonly name: string;
  readonly text: string;
  /** The ids of the orders whose events a test replays, by the test's name. */
  readonly tests: ReadonlyMap<string, readonly bigint[]>;
}

/**
 * Returns a module with tests that replay the events, the oldest first. A test has the events of some orders;
 * the specification numbers orders by their placements, so each test numbers its own.
 * @param ordersInTest The number of orders in a test. The time of a test grows with its square.
 */
export function trailModule(
  name: string,
  events: Iterable<OrderEvent>,
  ordersInTest: number,
): TrailModule {
  const tests = new Map<string, readonly bigint[]>();
  const lines: string[] = [];
  for (const [index, group] of groupsOf(events, ordersInTest).entries()) {
    const test = `trail${index + 1}Test`;
    tests.set(test, [...new Set(group.map(({ orderId }) => orderId))]);
    lines.push(`  run ${test} = assert(isTrail([${inQuint(group).join(', ')}]))`);
  }
  const text = [`module ${name} {`, '  import trails.* from "./trails"', ...lines, '}', ''].join(
    '\n',
  );
  return { name, text, tests };
}

/** Returns the events of some orders each, in the order of the log. */
function groupsOf(events: Iterable<OrderEvent>, ordersInGroup: number): readonly OrderEvent[][] {
  const groups: OrderEvent[][] = [];
  const groupOf = new Map<bigint, OrderEvent[]>();
  for (const event of events) {
    let group = groupOf.get(event.orderId);
    if (group === undefined) {
      const isFull = groupOf.size === groups.length * ordersInGroup;
      if (isFull) groups.push([]);
      group = groups.at(-1) as OrderEvent[];
      groupOf.set(event.orderId, group);
    }
    group.push(event);
  }
  return groups;
}

function inQuint(events: readonly OrderEvent[]): readonly string[] {
  const [orders, dates] = [new Map<bigint, number>(), new Map<string, number>()];
  const factOf = (event: OrderEvent): string => {
    switch (event.type) {
      case 'OrderPlaced':
        return 'Placed';
      case 'OrderShipped':
        return `Shipped(${numberOf(dates, event.shipDate)})`;
      case 'OrderCancelled':
        return 'Cancelled';
    }
  };
  return events.map((event) => {
    return `{ id: ${numberOf(orders, event.orderId)}, fact: ${factOf(event)}, by: 0 }`;
  });
}

/** Returns the number of a value from 1, in the order in which values appear. */
function numberOf<Value>(numbers: Map<Value, number>, value: Value): number {
  const number = numbers.get(value) ?? numbers.size + 1;
  numbers.set(value, number);
  return number;
}
