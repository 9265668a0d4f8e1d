import { ANSWER_RULES, checkError, isSuccess, told } from '../targets/orders-api.ts';
import {
  absentIds,
  absentNonsense,
  type Form,
  malformed,
  mistakable,
  placePending,
  respelled,
} from './orders.ts';
import { type Check, must, type Trial } from './trial.ts';

const NOT_THERE = 'the cancellation of an order that is not there is a 404';
const NO_ID = 'an id that is not a 64-bit integer is refused';
const NEAR = 'an id that is only similar to that of an order cancels nothing';
const SPELLED = 'an id is a decimal number without sign, spaces and leading zeros';

const DATE = '2026-01-01T00:00:00.000Z';

/** Checks of ids that are no order's. */
export const ids: readonly Check[] = [
  {
    name: NOT_THERE,
    group: 'errors',
    basis: 'contract',
    needs: ['to write'],
    async run(trial) {
      for (const id of await absentIds(trial)) {
        trial.api.client.trace.take();
        const answer = await trial.api.client.ask('DELETE', `/store/orders/${id}`);
        must(answer.status === 404, NOT_THERE, `for order ${id} it is ${told(answer)}`);
        checkError(answer, 404, 'order_not_found');
      }
      return undefined;
    },
  },
  {
    name: NO_ID,
    group: 'errors',
    basis: 'promise',
    needs: ['to write'],
    async run(trial) {
      for (const id of await absentNonsense(trial)) {
        const answer = await trial.api.client.ask('DELETE', `/store/orders/${id}`);
        const refused = answer.status === 400 || answer.status === 404 || answer.status === 422;
        must(refused, NO_ID, `for ${id} it is ${told(answer)}`);
        checkError(answer, answer.status, 'invalid_request');
      }
      return undefined;
    },
  },
  {
    name: NEAR,
    group: 'errors',
    basis: 'contract',
    needs: ['to write', 'to place'],
    async run(trial) {
      const id = await placePending(trial);
      for (const form of await mistakable(trial, id)) {
        const answer = await cancelAs(trial, id, form);
        must(
          answer.status === 404,
          NEAR,
          `for ${form.text} instead of ${id} it is ${told(answer)}`,
        );
        checkError(answer, 404, 'order_not_found');
      }
      await refuseAll(trial, id, malformed(id), NEAR);
      return undefined;
    },
  },
  {
    name: SPELLED,
    group: 'errors',
    basis: 'promise',
    needs: ['to write', 'to place'],
    async run(trial) {
      const id = await placePending(trial);
      await refuseAll(trial, id, await respelled(trial, id), SPELLED);
      return undefined;
    },
  },
];

/** Cancels an order under wrong ids: each has to be refused, and the order has to stay pending. */
async function refuseAll(trial: Trial, id: bigint, forms: readonly Form[], rule: string) {
  for (const form of forms) {
    const answer = await cancelAs(trial, id, form);
    must(!isSuccess(answer), rule, `for ${form.text} instead of ${id} it is ${told(answer)}`);
    must(answer.status < 500, ANSWER_RULES.errors, `for ${form.text} it is ${told(answer)}`);
  }
  if (trial.lacking.has('to ship')) return;
  const shipped = await trial.api.ship(id, DATE);
  must(typeof shipped !== 'string', rule, `order ${id} does not ship afterwards: ${shipped}`);
}

function cancelAs({ api }: Trial, id: bigint, { text, shell }: Form) {
  const asked = { about: id, shell: `/store/orders/${shell}` };
  return api.client.ask('DELETE', `/store/orders/${text}`, asked);
}
