import fc from 'fast-check';
import { FEW_DATES } from '../arbitraries.ts';
import { check } from '../check.ts';
import type { Step } from '../program.ts';
import { httpTarget } from '../targets/http.ts';
import { checkError, told } from '../targets/orders-api.ts';
import { absentIds, absentNonsense, listed, placePending } from './orders.ts';
import { type Check, forAll, must, type Trial } from './trial.ts';

const NOT_THERE = 'the cancellation of an order that is not there is a 404';
const NO_ID = 'an id that is not a 64-bit integer is refused';
const CANCELLED = 'the cancellation of a pending order is a 204 without a body';
const AGAIN = 'a second cancellation is a 204, too';
const SHIPPED = 'the cancellation of a shipped order is a 409';
const STILL_SHIPPED = 'a refused cancellation changes nothing';
const NOT_SHIPPED = 'a cancelled order does not ship';
const SHIPPED_AGAIN = 'a shipment reported again is a 200 on the same date, and a 409 on another';
const ONE_END = 'of a shipment and cancellations at once, one kind wins';
const MODEL = 'any program gets the answers of the table';

const [DATE, OTHER_DATE] = FEW_DATES;
const WRITES = ['to write', 'to place'] as const;
const SHIPS = ['to write', 'to place', 'to ship'] as const;

export const commands: readonly Check[] = [
  {
    name: NOT_THERE,
    group: 'errors',
    basis: 'contract',
    needs: ['to write'],
    async run(trial) {
      return forAll(trial, fc.constantFrom(...(await absentIds(trial))), 30, async (id) => {
        const answer = await trial.api.client.ask('DELETE', `/store/orders/${id}`);
        must(answer.status === 404, NOT_THERE, `for order ${id} it is ${told(answer)}`);
        checkError(answer, 404, 'order_not_found');
      });
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
    name: CANCELLED,
    group: 'cancel',
    basis: 'contract',
    needs: WRITES,
    async run(trial) {
      const id = await placePending(trial);
      const answer = await trial.api.client.ask('DELETE', `/store/orders/${id}`);
      must(answer.status === 204 && answer.text === '', CANCELLED, `it is ${told(answer)}`);
      return undefined;
    },
  },
  {
    name: AGAIN,
    group: 'cancel',
    basis: 'promise',
    needs: WRITES,
    async run(trial) {
      const id = await placePending(trial);
      for (const time of ['first', 'second', 'third']) {
        const answer = await trial.api.client.ask('DELETE', `/store/orders/${id}`);
        must(answer.status === 204, AGAIN, `the ${time} one is ${told(answer)}`);
      }
      return undefined;
    },
  },
  {
    name: SHIPPED,
    group: 'cancel',
    basis: 'contract',
    needs: SHIPS,
    async run(trial) {
      const id = await placePending(trial);
      await trial.api.ship(id, DATE);
      const answer = await trial.api.client.ask('DELETE', `/store/orders/${id}`);
      must(answer.status === 409, SHIPPED, `it is ${told(answer)}`);
      return undefined;
    },
  },
  {
    name: STILL_SHIPPED,
    group: 'cancel',
    basis: 'contract',
    needs: SHIPS,
    async run(trial) {
      const id = await placePending(trial);
      await trial.api.ship(id, DATE);
      await trial.api.client.ask('DELETE', `/store/orders/${id}`);
      const { complete, shipDate } = await listed(trial, id, STILL_SHIPPED);
      must(complete && shipDate === DATE, STILL_SHIPPED, `complete: ${complete}, ${shipDate}`);
      return undefined;
    },
  },
  {
    name: NOT_SHIPPED,
    group: 'ship',
    basis: 'promise',
    needs: SHIPS,
    async run(trial) {
      if (trial.api.adapter.ship !== undefined) return undefined;
      const id = await placePending(trial);
      await trial.api.cancel(id);
      const answer = await ship(trial, id, DATE);
      must(answer.status === 409, NOT_SHIPPED, `it is ${told(answer)}`);
      checkError(answer, 409, 'order_cancelled');
      return undefined;
    },
  },
  {
    name: SHIPPED_AGAIN,
    group: 'ship',
    basis: 'promise',
    needs: SHIPS,
    async run(trial) {
      if (trial.api.adapter.ship !== undefined) return undefined;
      const id = await placePending(trial);
      for (const [date, status] of [
        [DATE, 200],
        [DATE, 200],
        [OTHER_DATE, 409],
      ] as const) {
        const answer = await ship(trial, id, date);
        must(answer.status === status, SHIPPED_AGAIN, `on ${date} it is ${told(answer)}`);
      }
      return undefined;
    },
  },
  {
    name: ONE_END,
    group: 'cancel',
    basis: 'contract',
    needs: SHIPS,
    async run(trial) {
      if (trial.api.adapter.ship !== undefined) return undefined;
      for (let race = 0; race < 10; race++) await raceToTheEnd(trial);
      return undefined;
    },
  },
  {
    name: MODEL,
    group: 'model',
    basis: 'promise',
    needs: WRITES,
    async run(trial) {
      const { api, key, seed, runs, concurrency, lacking, advance } = trial;
      const { client, adapter } = api;
      const offersGet = !lacking.has('to get one order');
      const target = httpTarget(client.baseUrl, { client, key, adapter, offersGet });
      const together = Math.min(concurrency, runs);
      const ships: readonly Step['do'][] = lacking.has('to ship') ? [] : ['ship'];
      const does = ['place', 'cancel', 'get', 'list', ...ships] as const;
      const options = { runs, seed, together, advance, does, maxSteps: 12 };
      return (await check(target, options)).counterexample;
    },
  },
];

function ship({ api }: Trial, id: bigint, shipDate: string) {
  const body = JSON.stringify({ shipDate });
  return api.client.ask('PUT', `/store/orders/${id}/shipment`, { body });
}

async function raceToTheEnd(trial: Trial): Promise<void> {
  const id = await placePending(trial);
  const cancel = () => trial.api.client.ask('DELETE', `/store/orders/${id}`);
  const answers = await Promise.all([cancel(), ship(trial, id, DATE), cancel(), cancel()]);
  const [shipped, ...cancelled] = [1, 0, 2, 3].map((index) => answers[index]?.status);
  const detail = `the shipment is a ${shipped}, the cancellations are ${cancelled.join(', ')}`;
  const [shipment, cancellation] = shipped === 200 ? [200, 409] : [409, 204];
  must(shipped === shipment && cancelled.every((each) => each === cancellation), ONE_END, detail);
  const { complete } = await listed(trial, id, ONE_END);
  must(complete === (shipped === 200), ONE_END, `${detail}, and complete is ${complete}`);
}
