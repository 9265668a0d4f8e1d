import { setTimeout } from 'node:timers/promises';
import { CANCEL, CommandClients } from '../commands.ts';
import { interleave, type Measured } from '../rounds.ts';
import { atLeast, atMost, figure, judge, median, medianRatio, type Row } from '../row.ts';
import { type Bench, countOf, type Scenario } from '../scenario.ts';
import { ORDERS, type Product, startProduct } from '../servers.ts';

const CANCELLING_CLIENTS = 64;
const LISTING_CLIENTS = 4;

/** Cancellations during continuous lists, compared with cancellations alone. */
export const mixed: Scenario = {
  name: 'mixed',
  isQuick: false,
  steps: ({ rounds }) => rounds * 2,
  async run(bench, advance) {
    const orders = bench.orders / 10;
    await using product = await startProduct(await bench.stores.pending(orders));
    const clients = new CommandClients(bench, product, CANCEL, orders, bench.rounds * 2);
    await clients.warmUp(CANCELLING_CLIENTS);
    const contenders = [
      { measure: () => cancelWhileListing(bench, clients, product) },
      { measure: () => clients.measure(CANCELLING_CLIENTS) },
    ];
    const [beside = [], alone = []] = await interleave(contenders, bench.rounds, advance);
    await clients.check(product);
    const name = `cancels beside ${LISTING_CLIENTS} listing clients, ${countOf(orders)}`;
    return [rateRow(name, beside, alone), latencyRow(name, beside, alone)];
  },
};

async function cancelWhileListing(
  bench: Bench,
  clients: CommandClients,
  product: Product,
): Promise<Measured> {
  const headers = { 'Accept-Encoding': 'identity' };
  const listing = bench.generator.send(
    product,
    { method: 'GET', path: ORDERS, headers },
    // The cancellations begin after the lists, and end before them.
    { connections: LISTING_CLIENTS, seconds: bench.seconds + 1 },
  );
  const cancelling = setTimeout(Math.min(300, bench.seconds * 300)).then(() =>
    clients.measure(CANCELLING_CLIENTS),
  );
  const [{ failed }, measured] = await Promise.all([listing, cancelling]);
  if (failed > 0) throw new Error(`${failed} lists failed`);
  return measured;
}

function rateRow(name: string, beside: readonly Measured[], alone: readonly Measured[]): Row {
  const rates = beside.map(({ rate }) => rate);
  const references = alone.map(({ rate }) => rate);
  const value = medianRatio(rates, references);
  const target = atLeast(0.25, 0.5);
  return {
    name,
    measured: `${figure(median(rates))}/s`,
    reference: `alone: ${figure(median(references))}/s`,
    value,
    unit: '×',
    target,
    verdict: judge(value, target),
    samples: { measured: rates, reference: references },
  };
}

function latencyRow(name: string, beside: readonly Measured[], alone: readonly Measured[]): Row {
  const latencies = beside.map(({ p99 }) => p99);
  const references = alone.map(({ p99 }) => p99);
  const value = median(latencies);
  const target = atMost(100, 25);
  return {
    name: `${name}: p99`,
    measured: `${figure(value)} ms`,
    reference: `alone: ${figure(median(references))} ms`,
    value,
    unit: ' ms',
    target,
    verdict: judge(value, target),
    samples: { measured: latencies, reference: references },
  };
}
