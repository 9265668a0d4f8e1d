import { FEW_DATES } from '../arbitraries.ts';
import { V2 } from '../spec/replay.ts';
import type { Answer } from '../targets/api-client.ts';
import { checkError, told } from '../targets/orders-api.ts';
import { freshPet, placePending } from './orders.ts';
import { type Check, must, SERVICE_WRITES, type Trial } from './trial.ts';

/** Checks of many orders in one request: a promise of this service. */

const EACH = 'the items of a batch are carried out as if they had been sent alone';
const ATOMIC = 'an atomic batch is carried out as a whole or not at all';
const MALFORMED = 'a batch with a malformed item is a 400, and nothing of it is done';

const [DATE] = FEW_DATES;
const NEEDS = [...SERVICE_WRITES, 'the batches of version 2'] as const;

export const batches: readonly Check[] = [
  { name: EACH, group: 'cancel', basis: 'promise', needs: NEEDS, run: checkEach },
  { name: ATOMIC, group: 'cancel', basis: 'promise', needs: NEEDS, run: checkAtomic },
  {
    name: MALFORMED,
    group: 'place',
    basis: 'promise',
    needs: NEEDS,
    async run(trial) {
      const petId = freshPet();
      const item = (quantity: number) => `{"petId":"${petId}","quantity":${quantity}}`;
      for (const atomic of ['', ',"atomic":true']) {
        const answer = await ask(trial, 'Place', `{"orders":[${item(1)},${item(0)}]${atomic}}`);
        must(answer.status === 400, MALFORMED, `it is ${told(answer)}`);
        checkError(answer, 400, 'invalid_request');
      }
      const placed = (await trial.api.list()).find((order) => order.petId === petId);
      must(placed === undefined, MALFORMED, `order ${placed?.id} was placed all the same`);
      return undefined;
    },
  },
];

/** Cancels orders in every state, the last one pending. */
async function checkEach(trial: Trial): Promise<undefined> {
  const [first, shipped, last] = await placedAndShipped(trial);
  const absent = -shipped - 10n;
  const answer = await cancelAll(trial, [first, shipped, absent, first, last], false);
  must(answer.status === 200, EACH, `it is ${told(answer)}`);
  checkStatuses(answer, [204, 409, 404, 204, 204], EACH);
  for (const id of [first, last]) {
    const { status } = await trial.api.askToShip(id, DATE);
    must(status === 409, EACH, `order ${id} has the result 204, and is not cancelled: it ships`);
  }
  return undefined;
}

/** Cancels orders of which one has shipped, at each place, and then orders that are all pending. */
async function checkAtomic(trial: Trial): Promise<undefined> {
  const [first, shipped, last] = await placedAndShipped(trial);
  for (const ids of [
    [shipped, first, last],
    [first, shipped, last],
    [first, last, shipped],
  ]) {
    const answer = await cancelAll(trial, ids, true);
    const what = `with a shipped order at place ${ids.indexOf(shipped) + 1} it`;
    must(answer.status === 409, ATOMIC, `${what} is ${told(answer)}`);
    checkError(answer, 409, 'batch_refused');
  }
  for (const id of [first, last]) {
    const { status } = await trial.api.askToShip(id, DATE);
    must(status === 200, ATOMIC, `it is refused, and order ${id} was cancelled: it does not ship`);
  }
  trial.api.client.trace.take();
  const pending = [await placePending(trial), await placePending(trial)];
  const answer = await cancelAll(trial, pending, true);
  must(answer.status === 200, ATOMIC, `of pending orders it is ${told(answer)}`);
  checkStatuses(answer, [204, 204], ATOMIC);
  for (const id of pending) {
    const { status } = await trial.api.askToShip(id, DATE);
    must(status === 409, ATOMIC, `it is accepted, and order ${id} is not cancelled: it ships`);
  }
  return undefined;
}

/** Places three orders, and ships the second one. */
async function placedAndShipped(trial: Trial): Promise<readonly [bigint, bigint, bigint]> {
  const first = await placePending(trial);
  const shipped = await placePending(trial);
  await trial.api.ship(shipped, DATE);
  return [first, shipped, await placePending(trial)];
}

function cancelAll(trial: Trial, ids: readonly bigint[], isAtomic: boolean): Promise<Answer> {
  const orderIds = ids.map((id) => `"${id}"`).join();
  return ask(trial, 'Cancel', `{"orderIds":[${orderIds}]${isAtomic ? ',"atomic":true' : ''}}`);
}

function ask({ api }: Trial, kind: 'Place' | 'Cancel', body: string): Promise<Answer> {
  return api.client.ask('POST', `${V2}/store/orders:batch${kind}`, { body });
}

/** Throws a Violation unless the results in an answer have these statuses, in this order. */
function checkStatuses(answer: Answer, statuses: readonly number[], rule: string): void {
  const { results } = JSON.parse(answer.text) as { readonly results?: unknown };
  const found = Array.isArray(results) ? results.map((result) => Object(result).status) : [];
  const isRight = `${found}` === `${statuses}`;
  must(isRight, rule, `the results should be ${statuses.join(', ')}: ${told(answer)}`);
}
