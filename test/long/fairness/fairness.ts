/**
 * A started service with two clients: one sends steadily and within reason, the other ten times what the
 * limits of its key allow. The latency of the first is compared between situations that take turns, so
 * that a change of the machine's speed concerns all of them.
 */
import { setTimeout } from 'node:timers/promises';
import { now } from '../../../src/app/clock.ts';
import { mintKeyText } from '../../../src/app/keys/api-key.ts';
import { keyRecord } from '../../../src/app/keys/first-key.ts';
import { SCOPES } from '../../../src/app/ports/key-store.ts';
import { engineOf } from '../../../src/engines.ts';
import { runProgram } from '../../bench/processes.ts';
import { medianRatio } from '../../bench/row.ts';
import { Databases, withCluster } from '../../bench/scenarios/postgres.ts';
import { BEARER, type Product, startProduct } from '../../bench/servers.ts';
import { type StoreFile, Stores } from '../../bench/stores.ts';
import type { GeneratorOrder, Seen } from '../overload/generator.ts';

export type Place = 'sqlite' | 'postgres';

/** The requests of the other client, while the steady one sends. */
export const SITUATIONS = {
  none: 'no other requests',
  // The machine is as busy, and the service of the steady client is not.
  elsewhere: 'ten times the limit, to another service',
  atLimit: 'as many as the limit allows',
  beyond: 'ten times the limit',
  unauthorized: 'the same without a valid key',
} as const;
export type Situation = keyof typeof SITUATIONS;
const ALL = Object.keys(SITUATIONS) as Situation[];

export interface Load {
  readonly place: Place;
  /** Absent: all. */
  readonly situations?: readonly Situation[];
  readonly rounds: number;
  /** The length of each situation in a round. */
  readonly seconds: number;
  /** The rate of the limited key, and its burst; absent: a tenth of the capacity. */
  readonly limit?: number;
  /** The rate of the steady client. */
  readonly steady: number;
  /** The connections of the other client. */
  readonly connections: number;
  /** The pending orders of the store: each accepted command cancels one. */
  readonly orders: number;
  /** The most by which the 99th percentile of the steady client may rise. */
  readonly maxRatio: number;
  /** The folder of a changed product. */
  readonly root?: string;
}

export interface Outcome {
  /** The rate of the limited key. */
  readonly limit: number;
  readonly rounds: readonly Round[];
  /** What does not hold, in words. */
  readonly broken: readonly string[];
}

/** A situation in one round. */
export interface Round {
  readonly situation: Situation;
  readonly steady: Seen;
  readonly other: Seen | undefined;
}

/** Few requests, so that a slow machine serves them as well. Its latencies are not compared. */
export const BRIEF: Load = {
  place: 'sqlite',
  situations: ['none', 'beyond', 'unauthorized'],
  rounds: 1,
  seconds: 2,
  limit: 40,
  steady: 20,
  connections: 16,
  orders: 10_000,
  maxRatio: Number.POSITIVE_INFINITY,
};

const STEADY_KEY = BEARER.Authorization.slice('Bearer '.length);
const EXCESS_FACTOR = 10;
const STEADY_CONNECTIONS = 16;
const CAPACITY_CONNECTIONS = 256;
/** The other client begins earlier by so many seconds, and ends later. */
const LEAD_SECONDS = 1;
/** The time after its last request in which one may still be admitted. */
const LAST_ANSWERS_SECONDS = 5;
/** The share of its rate that a client gets at least, however much it sends. */
const MIN_SHARE = 0.9;

/** Runs both clients in each situation, and compares the outcome with what has to hold. */
export async function runFairness(load: Load): Promise<Outcome> {
  const stores = new Stores();
  if (load.place === 'sqlite') return measure(load, () => stores.pending(load.orders));
  return withCluster((cluster) => {
    const databases = new Databases({ stores }, cluster);
    return measure(load, () => databases.pending(load.orders));
  });
}

async function measure(load: Load, newStore: () => Promise<StoreFile>): Promise<Outcome> {
  await using product = await startProduct(await newStore(), {}, load.root);
  await using idle = await startProduct(await newStore(), {}, load.root);
  const [here, elsewhere] = [new Clients(product, load), new Clients(idle, load)];
  const { situations = ALL, limit = await tenthOfCapacity(here, elsewhere) } = load;
  await Promise.all([here.limitKey(limit), elsewhere.limitKey(limit)]);
  const others: Readonly<Record<Situation, () => Promise<Seen> | undefined>> = {
    none: () => undefined,
    elsewhere: () => elsewhere.other(EXCESS_FACTOR * limit),
    atLimit: () => here.other(limit),
    beyond: () => here.other(EXCESS_FACTOR * limit),
    unauthorized: () => here.other(EXCESS_FACTOR * limit, mintKeyText()),
  };
  const rounds: Round[] = [];
  for (let round = 0; round < load.rounds; round++) {
    for (const situation of situations) {
      const [steady, other] = await Promise.all([
        setTimeout(LEAD_SECONDS * 1_000).then(() => here.steady()),
        others[situation](),
      ]);
      rounds.push({ situation, steady, other });
    }
  }
  const outcome = { limit, rounds };
  return { ...outcome, broken: brokenIn(outcome, load) };
}

async function tenthOfCapacity(here: Clients, elsewhere: Clients): Promise<number> {
  // The first run compiles a service's code.
  await elsewhere.capacity();
  await here.capacity();
  return Math.round((await here.capacity()) / 10);
}

/** The clients of one service. They cancel orders that nobody has cancelled before. */
class Clients {
  readonly #product: Product;
  readonly #load: Load;
  /** The steady client begins with the first order, the other one in the middle. */
  #steadyId = 1;
  #otherId: number;
  #limitedKey = '';

  constructor(product: Product, load: Load) {
    this.#product = product;
    this.#load = load;
    this.#otherId = Math.floor(load.orders / 2);
  }

  /** Returns the accepted commands a second of many connections in a closed loop. */
  async capacity(): Promise<number> {
    const { inTime, seconds } = await this.#useOther({
      key: STEADY_KEY,
      connections: CAPACITY_CONNECTIONS,
      seconds: this.#load.seconds,
    });
    return Math.round(inTime / seconds);
  }

  /** Adds the key of the other client, with a rate a second. */
  async limitKey(requests: number): Promise<void> {
    const { file, url } = this.#product.store;
    const engine = await engineOf(
      url === undefined ? { engine: 'sqlite', file } : { engine: 'postgres', url },
    );
    const store = await engine.openForCommandLine('refuse');
    const limits = { rate: { requests, seconds: 1, burst: requests } };
    this.#limitedKey = mintKeyText();
    const given = { name: 'limited', scopes: SCOPES, createdAt: now(), limits };
    await store.keys.add(keyRecord(this.#limitedKey, given));
    await store.close();
  }

  async steady(): Promise<Seen> {
    const { seconds, steady, orders } = this.#load;
    const seen = await this.#generate({
      key: STEADY_KEY,
      connections: STEADY_CONNECTIONS,
      seconds,
      perSecond: steady,
      ids: [this.#steadyId, Math.floor(orders / 2) - 1],
    });
    this.#steadyId = seen.nextId;
    return seen;
  }

  async other(perSecond: number, key = this.#limitedKey): Promise<Seen> {
    const { connections } = this.#load;
    const seconds = this.#load.seconds + 2 * LEAD_SECONDS;
    return this.#useOther({ key, connections, seconds, perSecond });
  }

  async #useOther(order: Omit<GeneratorOrder, 'port' | 'ids'>): Promise<Seen> {
    const seen = await this.#generate({ ...order, ids: [this.#otherId, this.#load.orders] });
    this.#otherId = seen.nextId;
    return seen;
  }

  #generate(order: Omit<GeneratorOrder, 'port'>): Promise<Seen> {
    const port = Number(new URL(this.#product.address).port);
    const given = { port, refusals: ['rate_limited', 'unauthorized'], ...order };
    return runProgram<Seen>('../long/overload/generator', given, order.seconds + 60);
  }
}

/** Returns the rounds of a situation. */
export function roundsOf(rounds: readonly Round[], situation: Situation): readonly Round[] {
  return rounds.filter((round) => round.situation === situation);
}

/**
 * Returns by which factor the 99th percentile of the steady client is higher in a situation than in
 * another: the median of the rounds.
 */
export function ratioOf(rounds: readonly Round[], situation: Situation, to: Situation): number {
  const p99s = (of: Situation) => roundsOf(rounds, of).map(({ steady }) => steady.accepted.p99);
  return medianRatio(p99s(situation), p99s(to));
}

function brokenIn({ limit, rounds }: Omit<Outcome, 'broken'>, { maxRatio }: Load): string[] {
  const ratio = ratioOf(rounds, 'beyond', 'none');
  const rose = `the 99th percentile rose to ${ratio.toFixed(2)} times itself`;
  const ofRounds = rounds.flatMap((round) =>
    brokenInRound(round, limit).map((words) => `${SITUATIONS[round.situation]}: ${words}`),
  );
  return ratio > maxRatio ? [rose, ...ofRounds] : ofRounds;
}

function brokenInRound({ situation, steady, other }: Round, limit: number): string[] {
  const { refused, unanswered } = steady;
  const others = [steady, other].flatMap((seen) => Object.keys(seen?.others ?? {}));
  const checks: readonly (readonly [isBroken: boolean, words: string])[] = [
    [refused.count > 0, `${refused.count} steady requests were refused`],
    [unanswered > 0, `${unanswered} steady requests got no answer`],
    [others.length > 0, `other answers: ${others}`],
  ];
  const broken = checks.filter(([isBroken]) => isBroken).map(([, words]) => words);
  if (other === undefined) return broken;
  const { seconds, accepted } = other;
  const isLimited = situation !== 'unauthorized';
  // The burst, and what is gained until the last answer.
  const most = isLimited ? Math.ceil(limit * (1 + seconds + LAST_ANSWERS_SECONDS)) : 0;
  const least = situation === 'beyond' ? Math.floor(limit * seconds * MIN_SHARE) : 0;
  if (accepted.count >= least && accepted.count <= most) return broken;
  return [...broken, `${accepted.count} of the other were accepted, not ${least} to ${most}`];
}
