/**
 * A started service under more commands than it can record: measures its capacity in a closed loop, and
 * then sends ten times as many in an open loop, with or without reads beside them, while the probes are
 * asked as an orchestrator does. docs/adr/0028-bounded-queue.md states what has to hold.
 */
import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { runProgram } from '../../bench/processes.ts';
import { Databases, withCluster } from '../../bench/scenarios/postgres.ts';
import {
  BEARER,
  changedProduct,
  fetchBytes,
  type Product,
  type Replacement,
  startProduct,
} from '../../bench/servers.ts';
import { startOnSlowDisk } from '../../bench/slow-disk.ts';
import { Stores } from '../../bench/stores.ts';
import type { GeneratorOrder, Seen } from './generator.ts';

/** The places of a store. On a slow disk, each flush takes some milliseconds more. */
export type Place = 'sqlite' | 'slow disk' | 'postgres';

export interface Load {
  readonly place: Place;
  /** The pending orders of the store: each accepted command cancels one. */
  readonly orders: number;
  /** The connections that measure the capacity, each of which waits for its answers. */
  readonly fewConnections: number;
  /** The connections of the open loop: at most so many requests are under way. */
  readonly connections: number;
  readonly seconds: number;
  /** The connections that read beside the open loop, each of them all the time. */
  readonly readers: number;
  /** The delay of a slow disk. */
  readonly flushMs?: number;
  /** The 99th percentile that answers may have, and that of refusals from when the service has read them. */
  readonly limitMs?: number;
  readonly refusalMs?: number;
  /** The share of the capacity that the accepted commands have to be. */
  readonly minGoodput?: number;
  /** The growth of the resident memory that garbage explains. */
  readonly maxGrowth?: number;
  /** The folder of a changed product. */
  readonly root?: string;
}

export interface Outcome {
  /** The accepted commands a second in the closed loop. */
  readonly capacity: number;
  readonly goodput: number;
  readonly seen: Seen;
  readonly reads: Seen | undefined;
  readonly probes: Seen;
  /** A bound of the 99th percentile of refusals, by the service's own clock, in milliseconds. */
  readonly refusalMs: number;
  /** The resident memory after a quarter of the time, and at the end. */
  readonly rssMb: readonly [before: number, after: number];
  /** What does not hold, in words. */
  readonly broken: readonly string[];
}

/**
 * A log that records about 300 commands a second, so that the queue is what is short of time, and not a
 * machine that runs other tests. 1,000 requests in a queue that refuses none take 3 seconds.
 */
export const BRIEF_BATCH = 64;
export const BRIEF: Load = {
  place: 'slow disk',
  flushMs: 200,
  orders: 20_000,
  fewConnections: 2 * BRIEF_BATCH,
  connections: 1_000,
  readers: 0,
  seconds: 5,
  limitMs: 2_500,
  refusalMs: 2_500,
  // The first batch and the last are a tenth of so short a time, and other tests take time as well.
  minGoodput: 0.3,
  // The heap grows to its size of every day in the first seconds of a load.
  maxGrowth: 2,
};

const OVERLOAD_FACTOR = 10;
/**
 * The time in which all connect, before any load: less than the 5 seconds after which the service closes
 * a connection without a request while it refuses others.
 */
const CONNECT_MS = 3_000;
const LIMIT_MS = 250;
const REFUSAL_MS = 50;
const MIN_GOODPUT = 0.9;
const MAX_GROWTH = 1.2;
const MAX_CAPACITY_SECONDS = 5;
/** A read may wait for its place so long before it is refused, in milliseconds. */
const READ_WAIT_MS = 1_000;
/** Of four reads, three are long: the first orders, the first events, and the events of an order. */
const READS = [
  '/v2/store/orders?limit=1000',
  '/v1/store/orders/1',
  '/v1/store/events?limit=1000',
  '/v1/store/orders/1/events',
];
const PROBES = { connections: 2, perSecond: 10, targets: ['/livez', '/readyz'] };

/** Runs the service under overload, and compares the outcome with the limits. */
export async function runOverload(load: Load): Promise<Outcome> {
  if (load.place !== 'postgres') return measure(load, await startOnFile(load));
  return withCluster(async (cluster) => {
    const store = await new Databases({ stores: new Stores() }, cluster).pending(load.orders);
    return measure(load, await startProduct(store, {}, load.root));
  });
}

async function startOnFile({ place, orders, flushMs, root }: Load): Promise<Product> {
  const store = await new Stores().pending(orders);
  return place === 'sqlite' ? startProduct(store, {}, root) : startOnSlowDisk(store, flushMs, root);
}

async function measure(load: Load, started: Product): Promise<Outcome> {
  await using product = started;
  const { orders, fewConnections, connections, readers, seconds } = load;
  const port = Number(new URL(product.address).port);
  const key = BEARER.Authorization.slice('Bearer '.length);
  const eighth = Math.floor(orders / 8);
  const generate = (order: Omit<GeneratorOrder, 'port' | 'key'>) =>
    runProgram<Seen>('../long/overload/generator', { port, key, ...order }, order.seconds + 60);

  const closed = {
    connections: fewConnections,
    seconds: Math.min(MAX_CAPACITY_SECONDS, seconds / 2),
  };
  // The first run compiles the service's code, and is not counted.
  await generate({ ...closed, ids: [1, eighth] });
  const ids = [eighth + 1, 2 * eighth] as const;
  const capacity = perSecond(await generate({ ...closed, ids }));
  const perSecondOpen = capacity * OVERLOAD_FACTOR;
  const cancels = [2 * eighth + 1, orders] as const;
  const beginAtMs = performance.timeOrigin + performance.now() + CONNECT_MS;
  const together = { seconds, beginAtMs };
  const [seen, reads, probes, rssMb] = await Promise.all([
    generate({ connections, perSecond: perSecondOpen, ids: cancels, ...together }),
    readers === 0 ? undefined : generate({ connections: readers, targets: READS, ...together }),
    generate({ ...PROBES, ...together }),
    setTimeout(CONNECT_MS).then(() => growthOf(product.pid, seconds)),
  ]);
  const refusalMs = await refusalsOf(product);
  if (seen.refused.count > 0 && refusalMs === 0) throw new Error('the metrics show no refusal');
  const outcome = { capacity, goodput: perSecond(seen), seen, reads, probes, refusalMs, rssMb };
  return { ...outcome, broken: brokenIn(outcome, load) };
}

function perSecond({ inTime, seconds }: Seen): number {
  return Math.round(inTime / seconds);
}

/** Returns the bucket's bound that 99 % of the refused commands are below; 0 if none was refused. */
async function refusalsOf(product: Product): Promise<number> {
  const text = (await fetchBytes(product, '/metrics')).body.toString();
  const counts = text
    .split('\n')
    .filter((line) => line.startsWith('http_server_request_duration_seconds_bucket{'))
    .filter((line) => line.includes('"v1 cancelOrder"') && line.includes('"5xx"'))
    .map((line) => [Number(/le="(.+?)"/.exec(line)?.[1]), Number(line.split(' ').at(-1))] as const);
  const all = counts.at(-1)?.[1] ?? 0;
  // Number('+Inf') is no number.
  const [boundS = 0] = counts.find(([, count]) => count >= all * 0.99) ?? [];
  return Number.isNaN(boundS) ? Number.POSITIVE_INFINITY : boundS * 1_000;
}

/** Returns the resident memory of a process after a quarter of a time and at its end, in megabytes. */
async function growthOf(pid: number, seconds: number): Promise<readonly [number, number]> {
  const rssMb = () => {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Math.round(Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1_024);
  };
  await setTimeout(seconds * 250);
  const before = rssMb();
  await setTimeout(seconds * 750);
  return [before, rssMb()];
}

type Check = readonly [isBroken: boolean, words: string];

function brokenIn(
  { capacity, goodput, seen, reads, probes, refusalMs, rssMb }: Omit<Outcome, 'broken'>,
  load: Load,
): string[] {
  const { limitMs = LIMIT_MS, minGoodput = MIN_GOODPUT, maxGrowth = MAX_GROWTH } = load;
  const [before, after] = rssMb;
  const delays = Object.keys(seen.retryAfter);
  const isJittered = delays.every((delay) => /^[1-4]$/.test(delay)) && delays.length > 1;
  const isRefusedLate = refusalMs > (load.refusalMs ?? REFUSAL_MS);
  const checks: readonly Check[] = [
    ...checksOf('commands', seen, limitMs),
    ...(reads === undefined ? [] : checksOf('reads', reads, limitMs + READ_WAIT_MS)),
    ...checksOf('probes', probes, limitMs),
    [probes.refused.count > 0, `${probes.refused.count} probes were refused`],
    [isRefusedLate, `commands were refused within ${refusalMs} ms of their arrival`],
    [goodput < capacity * minGoodput, `${goodput} commands a second of ${capacity} were accepted`],
    [after > before * maxGrowth, `the memory grew from ${before} to ${after} MB`],
    [seen.refused.count > 100 && !isJittered, `Retry-After was ${delays}`],
  ];
  return checks.filter(([isBroken]) => isBroken).map(([, words]) => words);
}

const rounded = (ms: number) => `${Math.round(ms)} ms`;

function checksOf(
  requests: string,
  { accepted, refused, unanswered, others }: Seen,
  limitMs: number,
): readonly Check[] {
  return [
    [unanswered > 0, `${unanswered} ${requests} got no answer`],
    [Object.keys(others).length > 0, `other answers to ${requests}: ${JSON.stringify(others)}`],
    [
      accepted.p99 > limitMs,
      `99 % of the accepted ${requests} took up to ${rounded(accepted.p99)}`,
    ],
    [refused.p99 > limitMs, `99 % of the refused ${requests} took up to ${rounded(refused.p99)}`],
  ];
}

/** A product whose batches hold few commands, as if its log were much slower than everything before it. */
export function productOfSmallBatches(
  commands: number,
  ...changes: readonly Replacement[]
): string {
  return changedProduct(
    ['app/write/queue/batch-size.js', '= 1_024;', `= ${commands};`],
    ...changes,
  );
}
