import fc from 'fast-check';
import { FEW_DATES, plainPlacings } from '../arbitraries.ts';
import { brokenOrderRule } from '../oracle/list-rules.ts';
import { Violation } from '../target.ts';
import { ANSWER_RULES, checkJson, listIn } from '../targets/orders-api.ts';
import type { Order } from '../vocabulary.ts';
import { listed, placePending } from './orders.ts';
import { type Check, forAll, must, some } from './trial.ts';

const TWICE = 'the list has no order twice';
const SORTED = 'the list is sorted by id';
const FORGETS = 'a later list has every order of an earlier one';
const EXACT = 'a placed order is in the next list, to the last digit';
const COMPRESSED = 'a placed order is in the next list for a client that accepts gzip, too';
const STAYS = 'a cancelled order stays in the list, and is not complete';
const COMPLETE = 'an order is complete once it has shipped, and not before';
const ACTUAL = 'the ship date is the actual one once the order has shipped';
const SAME = 'one order is shown as the list shows it';

/** The number of orders that are fetched one by one. */
const ONE_BY_ONE = 20;

export const list: readonly Check[] = [
  {
    name: ANSWER_RULES.list,
    group: 'list',
    basis: 'contract',
    needs: [],
    async run({ api, firstList }) {
      // The first list is the only one that may be empty.
      for (const answer of [firstList, await api.client.ask('GET', '/store/orders')]) {
        listIn(answer);
        checkJson(answer, ANSWER_RULES.list);
      }
      return undefined;
    },
  },
  {
    name: TWICE,
    group: 'list',
    basis: 'contract',
    needs: [],
    async run({ api }) {
      requireOnce(await api.list());
      return undefined;
    },
  },
  {
    name: SORTED,
    group: 'list',
    basis: 'promise',
    needs: [],
    async run({ api }) {
      requireSorted(await api.list());
      return undefined;
    },
  },
  {
    name: FORGETS,
    group: 'list',
    basis: 'contract',
    needs: [],
    async run({ api }) {
      const earlier = await api.list();
      const later = new Set((await api.list()).map(({ id }) => id));
      const lost = earlier.find(({ id }) => !later.has(id));
      must(lost === undefined, FORGETS, `order ${lost?.id} is gone`);
      return undefined;
    },
  },
  {
    name: SAME,
    group: 'list',
    basis: 'promise',
    needs: ['to get one order'],
    async run({ api }) {
      const newest = some(await api.list(), 'the list is empty').slice(-ONE_BY_ONE);
      const shown = new Map<bigint, Order | undefined>();
      for (const { id } of newest) shown.set(id, await api.get(id));
      // Another client may have shipped it meanwhile: then it must equal that in a new list.
      const later = new Map((await api.list()).map((order) => [order.id, order]));
      for (const order of newest) {
        const one = shown.get(order.id);
        must(one !== undefined, SAME, `order ${order.id} is listed, but not found`);
        const broken = brokenOrderRule(one as Order, order);
        const isLater = brokenOrderRule(one as Order, later.get(order.id)) === undefined;
        must(broken === undefined || isLater, SAME, `${broken?.detail}`);
      }
      return undefined;
    },
  },
  {
    name: EXACT,
    group: 'int64',
    basis: 'contract',
    needs: ['to write', 'to place'],
    run(trial) {
      return forAll(trial, plainPlacings, 40, async (placing) => {
        const { id } = await trial.api.place(placing);
        const order = await listed(trial, id, EXACT);
        const broken = brokenOrderRule(order, { id, ...placing, complete: false });
        if (broken !== undefined) throw new Violation(EXACT, broken.detail);
      });
    },
  },
  {
    name: COMPRESSED,
    group: 'list',
    basis: 'contract',
    needs: ['to write', 'to place'],
    async run(trial) {
      const headers = { 'accept-encoding': 'gzip' };
      // A cache may have each form of a list as of another moment.
      for (let time = 0; time < 3; time++) {
        const id = await placePending(trial);
        const answer = await trial.api.client.ask('GET', '/store/orders', { headers });
        const isListed = listIn(answer).some((order) => order.id === id);
        must(isListed, COMPRESSED, `order ${id} is not in the list`);
      }
      return undefined;
    },
  },
  {
    name: STAYS,
    group: 'list',
    basis: 'contract',
    needs: ['to write', 'to place'],
    async run(trial) {
      const id = await placePending(trial);
      await trial.api.cancel(id);
      const { complete } = await listed(trial, id, STAYS);
      must(!complete, STAYS, `order ${id} is complete`);
      return undefined;
    },
  },
  {
    name: COMPLETE,
    group: 'ship',
    basis: 'contract',
    needs: ['to write', 'to place', 'to ship'],
    async run(trial) {
      const id = await placePending(trial);
      const before = await listed(trial, id, COMPLETE);
      must(!before.complete, COMPLETE, `order ${id} is complete while it is pending`);
      await trial.api.ship(id, FEW_DATES[0]);
      const after = await listed(trial, id, COMPLETE);
      must(after.complete, COMPLETE, `order ${id} has shipped and is not complete`);
      return undefined;
    },
  },
  {
    name: ACTUAL,
    group: 'ship',
    basis: 'promise',
    needs: ['to write', 'to place', 'to ship'],
    run(trial) {
      const [expected, actual] = FEW_DATES;
      return forAll(trial, fc.constantFrom({}, { shipDate: expected }), 4, async (date) => {
        const { id } = await trial.api.place({ petId: 7n, quantity: 1, ...date });
        await trial.api.ship(id, actual);
        const { shipDate } = await listed(trial, id, ACTUAL);
        must(shipDate === actual, ACTUAL, `order ${id} has ${shipDate ?? 'none'}, not ${actual}`);
      });
    },
  },
];

/** Throws a Violation if an order is in a list twice. */
export function requireOnce(orders: readonly Order[], script?: string): void {
  const known = new Set<bigint>();
  const twice = orders.find(({ id }) => known.size === known.add(id).size);
  must(twice === undefined, TWICE, `order ${twice?.id} is there twice`, script);
}

/** Throws a Violation if a list is not sorted by id. */
export function requireSorted(orders: readonly Order[], script?: string): void {
  const at = orders.findIndex(({ id }, index) => id < (orders[index - 1]?.id ?? id));
  must(at === -1, SORTED, `${orders[at]?.id} comes after ${orders[at - 1]?.id}`, script);
}
