/** One store, as large as is asked for: its memory, its starts, and each kind of request. */

import { once } from 'node:events';
import { join } from 'node:path';
import type { OrderId } from '../../../src/domain/order-id.ts';
import { cursorAfter } from '../../../src/http/requests/cursor.ts';
import type { PagesOrder, PagesSeen } from '../clients/pages.ts';
import { CANCEL, CommandClients } from '../commands.ts';
import { anonymousMemory } from '../linux.ts';
import { runProgram, start, stop } from '../processes.ts';
import { type Advance, interleave, measureLoad } from '../rounds.ts';
import {
  atMost,
  figure,
  judge,
  median,
  medianRatio,
  percentile,
  type Row,
  rowFor,
  Skip,
  type Target,
} from '../row.ts';
import { type Bench, countOf, type Scenario, warmUpOf } from '../scenario.ts';
import { BEARER, fetchBytes, ORDERS, type Product, responseOf, startProduct } from '../servers.ts';
import type { StoreFile } from '../stores.ts';
import { measureStarts } from './start.ts';

/** The orders that are pending at first, and are cancelled by the loads. */
const MAX_PENDING = 400_000;
/** The longest time in which the store is filled, in milliseconds. */
const FILL_WITHIN_MS = 3_600_000;
/** Starts that take minutes are not repeated more often. */
const MAX_STARTS = 3;
/** The interval of the timer by which the service measures the delay of its event loop, in milliseconds. */
const LOOP_TIMER_MS = 10;

export const scale: Scenario = {
  name: 'scale',
  isQuick: false,
  steps: ({ rounds }) => 1 + 3 * Math.min(rounds, MAX_STARTS) + 2 * rounds + 4,
  async run(bench, advance) {
    const pending = Math.min(MAX_PENDING, bench.orders / 2);
    const store = await bench.stores.alone(bench.orders, pending, FILL_WITHIN_MS);
    advance();
    return [
      ...(await startRows(bench, store, advance)),
      ...(await servingRows(bench, store, pending, advance)),
    ];
  },
};

const named = ({ orders }: Pick<StoreFile, 'orders'>, what: string) => {
  return `scale, ${countOf(orders)}: ${what}`;
};

async function startRows(bench: Bench, store: StoreFile, advance: Advance): Promise<Row[]> {
  const rounds = Math.min(bench.rounds, MAX_STARTS);
  const { usual, whole, reads } = await measureStarts(store, rounds, advance);
  const reference = `raw read: ${figure(median(reads))} ms`;
  const measured = (times: readonly number[]) => `${figure(median(times))} ms`;
  const ratio = medianRatio(whole, reads);
  return [
    {
      ...valueRow(named(store, 'start'), median(usual), ' ms', atMost(15_000, 5_000)),
      measured: measured(usual),
      reference,
    },
    {
      ...valueRow(named(store, 'start without a snapshot'), ratio, '×', atMost(2.5, 1.6)),
      measured: measured(whole),
      reference,
    },
  ];
}

async function servingRows(
  bench: Bench,
  store: StoreFile,
  pending: number,
  advance: Advance,
): Promise<Row[]> {
  await using product = await startProduct(store);
  const rows = [await memoryRow(product, 'after the start')];
  const clients = new CommandClients(bench, product, CANCEL, pending, bench.rounds);
  await clients.warmUp(64);
  rows.push(
    rateRow(
      named(store, 'cancels, 64 connections'),
      await interleave(
        [{ measure: async () => (await clients.measure(64)).rate }],
        bench.rounds,
        advance,
      ),
    ),
    rateRow(named(store, 'one order, 64 connections'), await getRates(bench, product, advance)),
    await pageRow(bench, product, advance),
    await memoryRow(product, 'after these'),
    ...(await listRows(product, advance)),
    await memoryRow(product, 'after a list'),
  );
  await fetchAway(product, { 'Accept-Encoding': 'gzip' });
  advance();
  rows.push(await memoryRow(product, 'after a compressed list'));
  await clients.check(product);
  return rows;
}

async function getRates(bench: Bench, product: Product, advance: Advance): Promise<number[][]> {
  const path = `${ORDERS}/${Math.floor(product.store.orders / 2)}`;
  const measure = async (seconds: number) => {
    const load = { connections: 64, seconds };
    return (await measureLoad(bench.generator, product, { method: 'GET', path }, load)).rate;
  };
  await measure(warmUpOf(bench));
  return interleave([{ measure: () => measure(bench.seconds) }], bench.rounds, advance);
}

/** Pages from all over the list. */
async function pageRow(bench: Bench, product: Product, advance: Advance): Promise<Row> {
  const { orders } = product.store;
  const urls = Array.from({ length: 100 }, (_, n) => {
    const id = BigInt(Math.floor((n * orders) / 101)) as OrderId;
    const after = cursorAfter({ id, asOf: undefined }, {});
    return `${product.address}/v2/store/orders?${new URLSearchParams({ limit: '100', after })}`;
  });
  const seconds = bench.seconds * bench.rounds;
  const order: PagesOrder = { urls, headers: BEARER, seconds };
  const { latencies } = await runProgram<PagesSeen>('clients/pages', order, seconds + 60);
  advance();
  const p99 = percentile(latencies, 0.99);
  return {
    ...valueRow(named(product.store, 'a page of v2: p99'), p99, ' ms', atMost(10, 5)),
    reference: `p50: ${figure(median(latencies))} ms`,
  };
}

/**
 * The first list, of which nothing is encoded yet, and the next one. With two processors for the service,
 * its compressing threads and the reader, a process that does nothing is late as well.
 */
async function listRows(product: Product, advance: Advance): Promise<Row[]> {
  const rows: Row[] = [];
  const idle = startIdle();
  for (const which of ['the first list', 'the next list']) {
    // Each look at the metrics begins a new maximum.
    await Promise.all([loopDelayOf(product), idle.longestDelay()]);
    const { bytes, seconds } = await fetchAway(product, { 'Accept-Encoding': 'identity' });
    const [longest, idly] = await Promise.all([loopDelayOf(product), idle.longestDelay()]);
    advance();
    const name = named(product.store, `${which}: longest delay of the event loop`);
    rows.push({
      ...valueRow(name, longest, ' ms', atMost(20, 10)),
      reference: `an idle process: ${figure(idly)} ms; ${figure(bytes / seconds / 1e6)} MB/s, ${figure(seconds)} s`,
    });
  }
  await stop(idle.child);
  return rows;
}

/** Starts a process that does nothing but measure how late its timer is. */
function startIdle() {
  const program = join(import.meta.dirname, '../clients/idle.ts');
  const stdio = ['ignore', 'inherit', 'inherit', 'ipc'] as const;
  const child = start(process.execPath, [program, `${LOOP_TIMER_MS}`], { stdio: [...stdio] });
  /** Resolves with the longest delay since the previous call, in milliseconds. */
  const longestDelay = async () => {
    const answered = once(child, 'message');
    child.send('longest');
    const [delay] = await answered;
    return delay as number;
  };
  return { child, longestDelay };
}

/** Gets the list and drops it as it arrives. */
async function fetchAway(
  product: Product,
  headers: Readonly<Record<string, string>>,
): Promise<{ readonly bytes: number; readonly seconds: number }> {
  const begun = performance.now();
  const res = await responseOf(product, ORDERS, headers);
  if (res.statusCode !== 200) throw new Error(`a list was answered with ${res.statusCode}`);
  let bytes = 0;
  for await (const chunk of res) bytes += (chunk as Buffer).length;
  return { bytes, seconds: (performance.now() - begun) / 1_000 };
}

/** Returns the longest delay since the previous call, in milliseconds. */
async function loopDelayOf(product: Product): Promise<number> {
  const seconds = await metricOf(product, 'nodejs_eventloop_lag_max_seconds');
  return Math.max(0, seconds * 1_000 - LOOP_TIMER_MS);
}

async function metricOf(product: Product, name: string): Promise<number> {
  const { body } = await fetchBytes(product, '/metrics');
  const value = new RegExp(`^${name} (\\S+)$`, 'm').exec(body.toString())?.[1];
  if (value === undefined) throw new Error(`the metrics lack ${name}`);
  return Number(value);
}

/** The memory that no file stands behind, and its parts as the service knows them. */
async function memoryRow(product: Product, when: string): Promise<Row> {
  const name = named(product.store, `memory ${when}`);
  const value = anonymousMemory(product.pid);
  if (value === undefined) return rowFor(name, new Skip('only Linux tells of memory'));
  const [heap, beside] = await Promise.all([
    metricOf(product, 'nodejs_heap_size_used_bytes'),
    metricOf(product, 'nodejs_external_memory_bytes'),
  ]);
  const an = figure((value * 2 ** 20) / product.store.orders);
  return {
    ...valueRow(name, value, ' MB'),
    measured: `${figure(value)} MB, ${an} B an order`,
    reference: `heap ${figure(heap / 2 ** 20)} MB, buffers ${figure(beside / 2 ** 20)} MB`,
  };
}

function rateRow(name: string, [rates = []]: readonly (readonly number[])[]): Row {
  return { ...valueRow(name, median(rates), '/s'), samples: { measured: rates } };
}

function valueRow(
  name: string,
  value: number,
  unit: NonNullable<Row['unit']>,
  target?: Target,
): Row {
  return {
    name,
    measured: `${figure(value)}${unit}`,
    reference: '',
    value,
    unit,
    ...(target === undefined ? {} : { target }),
    verdict: judge(value, target),
  };
}
