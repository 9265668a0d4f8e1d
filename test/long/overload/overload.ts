/**
 * A started service under more commands than it can record: measures its capacity in a closed loop, and
 * then sends ten times as many in an open loop. docs/adr/0028-bounded-queue.md states what has to hold.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { runProgram } from '../../bench/processes.ts';
import { Databases, withCluster } from '../../bench/scenarios/postgres.ts';
import { BEARER, changedProduct, type Product, startProduct } from '../../bench/servers.ts';
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
  /** The delay of a slow disk. */
  readonly flushMs?: number;
  /** The 99th percentile that answers may have. */
  readonly limitMs?: number;
  /** The share of the capacity that the accepted commands have to be. */
  readonly minGoodput?: number;
  /** The folder of a changed product. */
  readonly root?: string;
}

export interface Outcome {
  /** The accepted commands a second in the closed loop. */
  readonly capacity: number;
  readonly goodput: number;
  readonly seen: Seen;
  /** The resident memory after a quarter of the time, and at the end. */
  readonly rssMb: readonly [before: number, after: number];
  /** What does not hold, in words. */
  readonly broken: readonly string[];
}

const OVERLOAD = 10;
const LIMIT_MS = 250;
const MIN_GOODPUT = 0.9;
/** The growth of the resident memory that garbage explains. */
const MAX_GROWTH = 1.2;
const MAX_CAPACITY_SECONDS = 5;

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
  const { orders, fewConnections, connections, seconds } = load;
  const port = Number(new URL(product.address).port);
  const key = BEARER.Authorization.slice('Bearer '.length);
  const half = Math.floor(orders / 2);
  const generate = (order: Omit<GeneratorOrder, 'port' | 'key'>) =>
    runProgram<Seen>('../long/overload/generator', { port, key, ...order }, order.seconds + 60);

  const closed = {
    connections: fewConnections,
    seconds: Math.min(MAX_CAPACITY_SECONDS, seconds / 2),
  };
  // The first run compiles the service's code, and is not counted.
  await generate({ ...closed, ids: [1, Math.floor(half / 2)] });
  const ids = [Math.floor(half / 2) + 1, half] as const;
  const capacity = perSecond(await generate({ ...closed, ids }));
  const [seen, rssMb] = await Promise.all([
    generate({ connections, seconds, perSecond: capacity * OVERLOAD, ids: [half + 1, orders] }),
    growthOf(product.pid, seconds),
  ]);
  const outcome = { capacity, goodput: perSecond(seen), seen, rssMb };
  return { ...outcome, broken: brokenIn(outcome, load) };
}

function perSecond({ inTime, seconds }: Seen): number {
  return Math.round(inTime / seconds);
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

function brokenIn(
  { capacity, goodput, seen, rssMb: [before, after] }: Omit<Outcome, 'broken'>,
  { limitMs = LIMIT_MS, minGoodput = MIN_GOODPUT }: Load,
): string[] {
  const { accepted, refused, unanswered, others, retryAfter } = seen;
  const delays = Object.keys(retryAfter);
  const isJittered = delays.every((delay) => /^[1-4]$/.test(delay)) && delays.length > 1;
  const checks: readonly (readonly [isBroken: boolean, words: string])[] = [
    [unanswered > 0, `${unanswered} requests got no answer`],
    [Object.keys(others).length > 0, `other answers: ${JSON.stringify(others)}`],
    [
      accepted.p99 > limitMs,
      `99 % of the accepted commands took up to ${Math.round(accepted.p99)} ms`,
    ],
    [
      refused.p99 > limitMs,
      `99 % of the refused commands took up to ${Math.round(refused.p99)} ms`,
    ],
    [goodput < capacity * minGoodput, `${goodput} commands a second of ${capacity} were accepted`],
    [after > before * MAX_GROWTH, `the memory grew from ${before} to ${after} MB`],
    [refused.count > 100 && !isJittered, `Retry-After was ${delays}`],
  ];
  return checks.filter(([isBroken]) => isBroken).map(([, words]) => words);
}

/** A product whose batches hold few commands, as if its log were much slower than everything before it. */
export function productOfSmallBatches(
  commands: number,
  ...changes: readonly (readonly [file: string, from: string, to: string])[]
): string {
  const root = changedProduct(['app/write/batch-size.js', '= 1_024;', `= ${commands};`]);
  for (const [file, from, to] of changes) {
    const path = join(root, 'dist', file);
    const source = readFileSync(path, 'utf8');
    if (source.split(from).length !== 2) throw new Error(`${file} has not one "${from}"`);
    writeFileSync(path, source.replace(from, to));
  }
  return root;
}
