import { check } from '../check.ts';
import { brokenOrderRule } from '../oracle/list-rules.ts';
import { OracleStore } from '../oracle/store.ts';
import type { Step } from '../program.ts';
import type { Session, Target } from '../target.ts';
import { httpSession } from '../targets/http.ts';
import type { Command, Order } from '../vocabulary.ts';
import { type Check, OutOfTime, type Trial } from './trial.ts';

const WRITES = ['to write', 'to place'] as const;

/** Any programs of commands: by all rules of this service, or by those of the contract alone. */
export const models: readonly Check[] = [
  {
    name: 'any program gets the answers of the table',
    group: 'model',
    basis: 'promise',
    needs: WRITES,
    run: (trial) => runModel(trial, (session) => session),
  },
  {
    name: 'any program gets answers that the contract allows',
    group: 'model',
    basis: 'contract in place of a promise',
    needs: WRITES,
    run: (trial) => runModel(trial, tolerant),
  },
];

async function runModel(trial: Trial, as: (session: Session) => Session) {
  const { api, key, seed, runs, concurrency, lacking, advance, isContractOnly } = trial;
  const offersGet = !isContractOnly && !lacking.has('to get one order');
  const { baseUrl } = api.client;
  const target: Target = {
    name: baseUrl,
    open: () => as(httpSession(baseUrl, { key, api, offersGet })),
  };
  const ships: readonly Step['do'][] = lacking.has('to ship') ? [] : ['ship'];
  const does = ['place', 'cancel', 'get', 'list', ...ships] as const;
  const options = {
    runs,
    seed,
    advance,
    does,
    together: Math.min(concurrency, runs),
    maxSteps: 12,
  };
  const limits = { shrinkMs: trial.shrinkMs, timeLimitMs: Math.max(1, trial.leftMs()) };
  const { counterexample, isInterrupted } = await check(target, { ...options, ...limits });
  if (counterexample === undefined && isInterrupted) throw new OutOfTime();
  return counterexample;
}

/**
 * Returns a session whose answers are those of the table where the contract leaves them open: a
 * second cancellation may be a 204, a 404 or a 409; the ship date of a shipped order may be the
 * expected or the actual one; and the list may have any order. Only pending orders are shipped.
 */
function tolerant(session: Session): Session {
  const store = new OracleStore();
  return {
    choosesIds: true,
    isShared: true,
    shipsPendingOnly: true,
    async list() {
      const orders = (await session.list?.()) ?? [];
      return orders.map((order) => withTableDate(order, store)).sort(byId);
    },
    async perform(command, client) {
      const told = await session.perform(command, client);
      if (isSecondCancellation(command, store)) return { kind: 'accepted' };
      if (told.kind === 'rejected') return told;
      const { orderId = command.orderId } = told;
      store.submit({ ...command, orderId });
      return { kind: 'accepted', orderId };
    },
  };
}

function isSecondCancellation(command: Command, store: OracleStore): boolean {
  return command.type === 'CancelOrder' && store.row(command.orderId).status === 'cancelled';
}

/** Returns an order with the actual ship date, if it is the expected one of a shipped order. */
function withTableDate(order: Order, store: OracleStore): Order {
  const expected = store.get(order.id);
  if (expected?.shipDate === undefined || !expected.complete) return order;
  const dated = { ...order, shipDate: expected.shipDate };
  return brokenOrderRule(dated, expected) === undefined ? dated : order;
}

function byId(one: Order, other: Order): number {
  return one.id < other.id ? -1 : Number(one.id > other.id);
}
