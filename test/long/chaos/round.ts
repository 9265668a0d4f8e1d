import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Answer, History, Request } from '../../kit/history/history.ts';
import { type Caller, HttpCaller } from '../../kit/history/http-caller.ts';
import { Random } from '../../kit/history/random.ts';
import { Recorder } from '../../kit/history/recorder.ts';
import { runWorkload } from '../../kit/history/workload.ts';
import { check } from '../../kit/linearizability/check.ts';
import { describeViolation } from '../../kit/linearizability/timeline.ts';
import { wrongInTrail } from '../../kit/spec/check-trail.ts';
import type { OrderEvent } from '../../kit/vocabulary.ts';
import { Network } from '../../support/postgres/network.ts';
import { type Done, Faults, type Weights } from './faults.ts';
import { Instances } from './instances.ts';
import { Servers } from './servers.ts';

/**
 * Instances of the service on one PostgreSQL, whatever happens to them: they are killed, and so is
 * the database, which also fails over to its standby; sessions are ended, and the network cuts,
 * delays and swallows. All that clients were told is held against the contract.
 */

export interface Round {
  readonly seed: number;
  readonly operations: number;
  readonly clients: number;
  /** The program that is started: the service, or a mutant of it. */
  readonly program?: string;
  /** True if there is a standby to fail over to. */
  readonly withStandby?: boolean;
  readonly weights?: Weights;
  /** The number of instances on the database; 3 if absent. A single one pipelines its batches. */
  readonly instances?: number;
  /** True if clients send idempotency keys and repeat requests, as they do if this is absent. */
  readonly withKeys?: boolean;
  /** Is told how many requests have been made. */
  readonly advance?: (done: number) => void;
}

export interface Outcome extends Done {
  readonly history: History;
  /** Replies of the database that no instance has got. */
  readonly repliesCut: number;
  /** Everything that must not be, in words. */
  readonly broken: readonly string[];
}

const INSTANCES = 3;
/** The share of the chunks on the network that are cut, and of those that are delayed. */
const CUT_PER_MILLE = 15;
const DELAYED_PER_MILLE = 20;
const MAX_DELAY_MS = 40;
/** The number of times that a client repeats a request without an answer. */
const ASKED_AGAIN = 8;
/** The wait of a client that was asked to retry, in milliseconds. */
const RETRY_AFTER_MS = 150;

export async function runRound(round: Round): Promise<Outcome> {
  const { seed, operations, clients, program = resolve('dist/main.js') } = round;
  const count = round.instances ?? INSTANCES;
  await using resources = new AsyncDisposableStack();
  const servers = resources.use(await Servers.start(round.withStandby ?? true));
  const random = new Random(seed);
  const networks: Network[] = [];
  for (let number = 0; number < count; number++) {
    const network = resources.use(await Network.start(servers.primary.port));
    servers.lead(network);
    networks.push(network);
  }
  const urls = networks.map((network) => network.through(servers.primary.url('postgres')));
  const instances = resources.use(await Instances.start(program, urls));
  const cuts = { replies: 0 };
  for (const network of networks) disturb(network, random, cuts);
  const http = new HttpCaller(() => `${instances.address(random.below(count))}/v1`, instances.key);
  resources.defer(() => http.close());
  const recorder = new Recorder();
  const faults = new Faults(seed, instances, servers, round.weights);
  const workload = { seed, clients, operations, cuts: 2, advance: round.advance ?? (() => {}) };
  await runWorkload(workload, (round.withKeys ?? true) ? new Persistent(http) : http, recorder);
  await faults.stop();
  for (const network of networks) calm(network);
  await untilListed(http, recorder);
  const twice = await servers.primary.sql<{ pet: string }>(
    `SELECT data::json ->> 'petId' AS pet FROM store_orders.events
       WHERE type = 'OrderPlaced' GROUP BY 1 HAVING count(*) > 1`,
  );
  const wrong = await wrongInTrail(await recordedIn(servers));
  const broken = [
    ...check(recorder.history).map(describeViolation),
    ...twice.map(({ pet }) => `the order of pet ${pet} was placed more than once`),
    ...(wrong === undefined ? [] : [wrong]),
    ...instances.lastWords,
  ];
  return { ...faults.done, history: recorder.history, repliesCut: cuts.replies, broken };
}

async function recordedIn({ primary }: Servers): Promise<readonly OrderEvent[]> {
  const rows = await primary.sql<{ order_id: string; type: string; data: string }>(
    'SELECT order_id, type, data FROM store_orders.events ORDER BY position',
  );
  return rows.map(({ order_id: id, type, data }) => {
    return { ...JSON.parse(data), type, orderId: BigInt(id) } as OrderEvent;
  });
}

function disturb(network: Network, random: Random, cuts: { replies: number }): void {
  const fate = async (isReply: boolean) => {
    const share = random.below(1_000);
    if (share < CUT_PER_MILLE) {
      if (isReply) cuts.replies += 1;
      return 'cut';
    }
    if (share < CUT_PER_MILLE + DELAYED_PER_MILLE) await setTimeout(random.below(MAX_DELAY_MS));
    return 'pass';
  };
  network.fromClient = () => fate(false);
  network.fromServer = () => fate(true);
}

function calm(network: Network): void {
  network.fromClient = () => 'pass';
  network.fromServer = () => 'pass';
}

/** A client that asks again until it is told, each time with the same key: one request in all. */
class Persistent implements Caller {
  readonly #http: HttpCaller;

  constructor(http: HttpCaller) {
    this.#http = http;
  }

  async call(request: Request, cutAfter?: number): Promise<Answer> {
    const headers = HAS_KEY.includes(request.kind)
      ? { 'Idempotency-Key': `"${randomUUID()}"` }
      : undefined;
    let answer = await this.#http.call(request, cutAfter, headers);
    let isInDoubt = answer.kind === 'unknown';
    for (let tries = 0; tries < ASKED_AGAIN && headers !== undefined && isInDoubt; tries++) {
      await setTimeout(RETRY_AFTER_MS);
      answer = await this.#http.call(request, undefined, headers);
      // Nothing was done now; what was done before is as unknown as it was.
      isInDoubt = answer.kind === 'unknown' || answer.kind === 'untouched';
    }
    if (answer.kind === 'untouched') await setTimeout(RETRY_AFTER_MS);
    return isInDoubt ? { kind: 'unknown' } : answer;
  }
}

const HAS_KEY: readonly string[] = ['place', 'ship', 'cancel'] satisfies Request['kind'][];

/** Lists until somebody answers, so that whatever was lost on the way shows. */
async function untilListed(http: HttpCaller, recorder: Recorder): Promise<void> {
  for (;;) {
    const answer = await recorder.record(0, { kind: 'list' }, () => http.call({ kind: 'list' }));
    if (answer.kind === 'listed') return;
    await setTimeout(100);
  }
}
