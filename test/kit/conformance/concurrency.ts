import { FEW_DATES } from '../arbitraries.ts';
import type { History, Request } from '../history/history.ts';
import { Recorder } from '../history/recorder.ts';
import { runWorkload } from '../history/workload.ts';
import { check as checkHistory } from '../linearizability/check.ts';
import { describeViolation } from '../linearizability/timeline.ts';
import { isSuccess, type OrdersApi } from '../targets/orders-api.ts';
import { freshPet, listed, placePending } from './orders.ts';
import {
  historyInShell,
  PLACED_AT_ONCE,
  RACES_TO_THE_END,
  raceInShell,
  SHIPMENTS,
} from './races-in-shell.ts';
import { CONTRACT_DATE, contractHistory, ownHistory, TrialCaller } from './recorded.ts';
import { type Check, must, scriptOf, several, type Trial } from './trial.ts';

const ONE_END = 'of a shipment and cancellations at once, one kind wins';
const ONE_DATE = 'of two shipments at once on two dates, one is a 409';
const OWN_IDS = 'orders placed at once have ids of their own, and all are listed';
const ONE_BY_ONE = 'concurrent requests are answered as if one came after another';

const [DATE, OTHER_DATE] = FEW_DATES;
const SHIPS = ['to write', 'to place', 'to ship'] as const;

/** The number of races of each kind. */
const RACES = 10;
/** The number of orders that are placed at once. */
const AT_ONCE = 40;
/** The number of rounds of concurrent requests, by turns of two kinds. */
const ROUNDS = 4;
/** The rounds to which the early orders are dealt out: most of them to those that ship by turns. */
const SHARES = [0, 0, 0, 0, 1, 2, 2, 2, 2, 3] as const;
const CLIENTS = 12;
const LISTING_CLIENTS = 2;
const REQUESTS = 160;
/** The length from which a list is requested less often. */
const LONG_LIST = 20_000;

/** Checks of requests that overlap. */
export const concurrency: readonly Check[] = [
  {
    name: ONE_END,
    group: 'cancel',
    basis: 'contract',
    needs: SHIPS,
    async run(trial) {
      for (let race = 0; race < RACES; race++) {
        for (const kinds of RACES_TO_THE_END) await raceToTheEnd(trial, kinds);
      }
      return undefined;
    },
  },
  {
    name: ONE_DATE,
    group: 'ship',
    basis: 'promise',
    needs: [...SHIPS, 'the operations placeOrder and shipOrder'],
    async run(trial) {
      for (let race = 0; race < RACES; race++) {
        const id = await placePending(trial);
        const dates = [DATE, OTHER_DATE, DATE, OTHER_DATE];
        const answers = await Promise.all(dates.map((date) => trial.api.askToShip(id, date)));
        const statuses = answers.map(({ status }) => status);
        const [won] = dates.filter((_, index) => statuses[index] === 200);
        const isRight = dates.every(
          (date, index) => statuses[index] === (date === won ? 200 : 409),
        );
        must(
          isRight,
          ONE_DATE,
          `they are ${statuses.join(', ')}`,
          scriptOf(raceInShell(SHIPMENTS)),
        );
        const { shipDate } = await listed(trial, id, ONE_DATE);
        must(shipDate === won, ONE_DATE, `${won} is accepted, and the list has ${shipDate}`);
      }
      return undefined;
    },
  },
  {
    name: OWN_IDS,
    group: 'concurrency',
    basis: 'contract',
    needs: ['to write', 'to place'],
    async run(trial) {
      const ids: bigint[] = [];
      await several(AT_ONCE, AT_ONCE, async () => void ids.push(await placePending(trial)));
      const script = scriptOf(PLACED_AT_ONCE);
      const twice = ids.find((id, index) => ids.indexOf(id) !== index);
      must(twice === undefined, OWN_IDS, `two orders are given the id ${twice}`, script);
      const known = new Set((await trial.api.list()).map(({ id }) => id));
      const missing = ids.find((id) => !known.has(id));
      must(missing === undefined, OWN_IDS, `order ${missing} is not in the list`, script);
      return undefined;
    },
  },
  {
    name: ONE_BY_ONE,
    group: 'concurrency',
    basis: 'contract',
    needs: SHIPS,
    async run(trial) {
      for (let round = 0; round < ROUNDS; round++) await runRound(trial, round);
      return undefined;
    },
  },
];

async function raceToTheEnd(trial: Trial, kinds: readonly ('cancel' | 'ship')[]): Promise<void> {
  const { api, isContractOnly } = trial;
  const id = await placePending(trial);
  const cancel = async () => (await api.client.ask('DELETE', `/store/orders/${id}`)).status;
  const answers = await Promise.all(
    kinds.map((kind) => (kind === 'ship' ? ship(trial, id) : cancel())),
  );
  const isShipped = answers.includes(true);
  const cancelled = answers.filter((answer) => typeof answer === 'number');
  const detail = `the shipment is ${isShipped ? 'accepted' : 'refused'}, the cancellations are ${cancelled.join(', ')}`;
  const script = scriptOf(raceInShell(kinds));
  const allowed = isShipped ? [409] : isContractOnly ? [204, 404, 409] : [204];
  const isRight = cancelled.every((status) => allowed.includes(status));
  // The contract does not forbid that a cancelled order ships.
  if (!isRight && isShipped && isContractOnly && (await shipsCancelled(trial))) return;
  must(isRight && (isShipped || cancelled.includes(204)), ONE_END, detail, script);
  const { complete } = await listed(trial, id, ONE_END);
  must(complete === isShipped, ONE_END, `${detail}, and complete is ${complete}`, script);
}

/** Resolves with true if a shipment is accepted. */
async function ship({ api }: Trial, id: bigint): Promise<boolean> {
  if (api.adapter.ship === undefined) return isSuccess(await api.askToShip(id, DATE));
  return api.ship(id, DATE).then(
    () => true,
    () => false,
  );
}

async function shipsCancelled(trial: Trial): Promise<boolean> {
  const id = await placePending(trial);
  await trial.api.cancel(id);
  return ship(trial, id);
}

/** The largest number of requests in a script. */
const MAX_IN_SCRIPT = 40;

/** The number of orders that are placed first of all, and divided among the rounds. */
const EARLY_ORDERS = 60;

/**
 * Places the orders that the rounds change beside new ones: a list that is not of one moment shows
 * by changes in distant parts of it.
 */
export async function placeEarly(api: OrdersApi): Promise<History> {
  const recorder = new Recorder();
  const caller = new TrialCaller(api, true);
  const firstPet = freshPet();
  await several(EARLY_ORDERS, CLIENTS, async (index) => {
    const request = { kind: 'place', petId: firstPet + BigInt(index), quantity: 1 } as const;
    await recorder.record(0, request, () => caller.call(request));
  });
  return recorder.history.filter(({ answer }) => answer.kind === 'accepted');
}

/** Runs concurrent requests, and checks their history. */
async function runRound(trial: Trial, round: number): Promise<void> {
  const { api, isContractOnly, lacking } = trial;
  const early = trial.early.filter((_, index) => SHARES[index % SHARES.length] === round);
  const before = await api.list();
  const recorder = new Recorder();
  const caller = new TrialCaller(api, isContractOnly || lacking.has('to get one order'));
  const firstPet = freshPet();
  const context = { trial, early, recorder, caller, firstPet, isLong: before.length > LONG_LIST };
  await (round % 2 === 0 ? shipByTurns(context) : workOnAll(context, round));
  caller.throwFailure();
  const all = [...early, ...recorder.history];
  const own = ownHistory(all, new Set(before.map(({ id }) => id)), firstPet);
  const history = isContractOnly ? contractHistory(own, await shipsCancelled(trial)) : own;
  const [violation] = checkHistory(history);
  if (violation === undefined) return;
  const shown = new Set(violation.evidence.map(({ operation }) => operation));
  // A refusal is no evidence, and yet what was refused may have been done.
  const concerned = own.filter((operation) => {
    const { request } = operation;
    return shown.has(operation) || ('id' in request && violation.orders.includes(request.id ?? 0n));
  });
  const script = scriptOf(historyInShell(concerned.slice(0, MAX_IN_SCRIPT)));
  must(false, ONE_BY_ONE, describeViolation(violation), script);
}

interface Round {
  readonly trial: Trial;
  readonly early: History;
  readonly recorder: Recorder;
  readonly caller: TrialCaller;
  readonly firstPet: bigint;
  readonly isLong: boolean;
}

/** Runs the workload, on early orders and new ones. */
function workOnAll({ trial, early, recorder, caller, firstPet, isLong }: Round, round: number) {
  const workload = {
    ...{ seed: trial.seed * ROUNDS + round, clients: CLIENTS, operations: REQUESTS, cuts: 0 },
    ...{ isShared: true, firstPet, lists: isLong ? 3 : 15, placed: placedIn(early) },
    ...(trial.isContractOnly && { shipDates: [CONTRACT_DATE] }),
  };
  return runWorkload(workload, caller, recorder);
}

/** Ships an early and a new order by turns, one after another, while others list all the time. */
async function shipByTurns({ early, recorder, caller, firstPet, isLong }: Round): Promise<void> {
  const ask = (client: number, request: Request) => {
    return recorder.record(client, request, () => caller.call(request));
  };
  await several(early.length, CLIENTS, async (index) => {
    await ask(0, { kind: 'place', petId: firstPet + BigInt(index), quantity: 1 });
  });
  const fresh = placedIn(recorder.history);
  let isDone = false;
  const ship = async () => {
    for (const pair of placedIn(early).map((id, index) => [id, fresh[index] ?? id])) {
      for (const id of pair) await ask(0, { kind: 'ship', id, shipDate: CONTRACT_DATE });
    }
  };
  const list = async (client: number) => {
    while (!isDone && !caller.hasFailed) await ask(client, { kind: 'list' });
  };
  const listing = Array.from({ length: isLong ? 1 : LISTING_CLIENTS }, (_, index) =>
    list(index + 1),
  );
  await ship().finally(() => {
    isDone = true;
  });
  await Promise.all(listing);
}

function placedIn(history: History): readonly bigint[] {
  return history.flatMap(({ request, answer }) => {
    return request.kind === 'place' && answer.kind === 'accepted' ? [answer.id] : [];
  });
}
