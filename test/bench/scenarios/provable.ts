import { execFileSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { BATCH_CLIENTS, BATCH_ORDERS, BatchClients, type Batches } from '../batch-clients.ts';
import { Ledger } from '../ledger.ts';
import { atLeast, atMost, figure, judge, median, percentile, type Row } from '../row.ts';
import { countOf, type Scenario } from '../scenario.ts';
import { type Product, startProduct } from '../servers.ts';

const PROGRAM = join(resolve(import.meta.dirname, '../../..'), 'bin/store-orders');

/**
 * The range of what logs of the same kind report on their pages: events a second, and the seconds until
 * an event is in the tree.
 */
const OTHERS_RATE = 2_900;
const OTHERS_MS = 600;

/**
 * Events that are durable, in the tree, and proven to their client: after each batch it verifies a receipt
 * under the log's public key.
 */
export const provable: Scenario = {
  name: 'provable',
  isQuick: false,
  steps: ({ rounds }) => rounds * 2,
  async run(bench, advance) {
    const { orders, rounds, seconds } = bench;
    await using product = await startProduct(await bench.stores.pending(orders));
    const vkey = verifierKeyOf(product);
    const range = { first: 1, end: orders + 1, loads: 2 * rounds + 2 };
    const ledger = new Ledger('OrderCancelled');
    const clients = new BatchClients(product, ledger, range);
    await clients.send(seconds);
    await clients.send(seconds, vkey);
    const [plain, proven]: [Batches[], Batches[]] = [[], []];
    for (let round = 0; round < rounds; round++) {
      plain.push(await clients.send(seconds));
      advance();
      proven.push(await clients.send(seconds, vkey));
      advance();
    }
    await product.stop();
    await ledger.check(product.store);
    return rowsOf(countOf(orders), plain, proven);
  },
};

function verifierKeyOf({ store }: Product): string {
  const env = { PATH: process.env.PATH, DATABASE_URL: `sqlite:${store.file}` };
  return execFileSync(PROGRAM, ['audit', 'public-key'], { env, encoding: 'utf8' }).trim();
}

function rowsOf(
  count: string,
  plain: readonly Batches[],
  proven: readonly Batches[],
): readonly Row[] {
  const [rate, plainRate] = [proven, plain].map((rounds) =>
    median(rounds.map((round) => round.rate)),
  ) as [number, number];
  const times = proven.flatMap(({ provenMs }) => provenMs);
  const [p50, p99] = [percentile(times, 0.5), percentile(times, 0.99)];
  const fast = atLeast(OTHERS_RATE, 10 * OTHERS_RATE);
  const soon = atMost(OTHERS_MS, OTHERS_MS / 10);
  return [
    {
      name: `events durable, in the tree and proven, batches of ${BATCH_ORDERS}, ${BATCH_CLIENTS} connections, ${count}`,
      measured: `${figure(rate)}/s`,
      reference: `without a proof: ${figure(plainRate)}/s`,
      value: rate,
      unit: '/s',
      target: fast,
      verdict: judge(rate, fast),
      samples: { measured: proven.map((round) => round.rate) },
    },
    {
      name: `from the answer of a batch to its verified receipt, ${count}: p99`,
      measured: `${figure(p99)} ms`,
      reference: `p50: ${figure(p50)} ms`,
      value: p99,
      unit: ' ms',
      target: soon,
      verdict: judge(p99, soon),
      samples: { measured: times },
    },
  ];
}
