import { CANCEL, CommandClients } from '../commands.ts';
import { processCpu } from '../linux.ts';
import { type Advance, interleave, measureLoad } from '../rounds.ts';
import { figure, median, type Row } from '../row.ts';
import { type Bench, countOf, type Scenario } from '../scenario.ts';
import { ORDERS, startProduct } from '../servers.ts';
import { timeToReadAndAnswer } from './start.ts';

/**
 * The largest ratio of the cost in the largest store to that in a smaller one that counts as flat.
 */
const MAX_FLAT_RATIO = 1.5;

/** Costs in stores of three sizes, none of which may grow with the number of orders. */
export const growth: Scenario = {
  name: 'growth',
  isQuick: false,
  steps: ({ rounds }) => rounds * 10,
  run: async (bench, advance) => [
    await cancelRow(bench, advance),
    await listRow(bench, advance),
    await startRow(bench, advance),
  ],
};

function sizesOf({ orders }: Bench): readonly number[] {
  return [orders / 100, orders / 10, orders];
}

/** Returns a cancel's CPU time in all threads on Linux, and its share of a second elsewhere. */
async function cancelRow(bench: Bench, advance: Advance): Promise<Row> {
  await using opened = new AsyncDisposableStack();
  const started = [];
  for (const size of sizesOf(bench)) {
    const product = opened.use(await startProduct(await bench.stores.pending(size)));
    const clients = new CommandClients(bench, product, CANCEL, size, bench.rounds);
    await clients.warmUp(64);
    started.push({ product, clients });
  }
  const contenders = started.map(({ product, clients }) => ({
    async measure() {
      const before = processCpu(product.pid);
      const { answered, seconds } = await clients.measure(64);
      const after = processCpu(product.pid);
      const isKnown = before !== undefined && after !== undefined;
      return (isKnown ? after - before : seconds * 1e6) / answered;
    },
  }));
  const costs = await interleave(contenders, bench.rounds, advance);
  for (const { product, clients } of started) await clients.check(product);
  return growthRow(bench, 'growth: a cancel', 'µs', costs, 0);
}

async function listRow(bench: Bench, advance: Advance): Promise<Row> {
  await using opened = new AsyncDisposableStack();
  const contenders = [];
  for (const size of sizesOf(bench)) {
    const product = opened.use(await startProduct(await bench.stores.pending(size)));
    const requests = { method: 'GET', path: ORDERS, headers: { 'Accept-Encoding': 'identity' } };
    const measure = async () => {
      const load = { connections: 1, seconds: bench.seconds };
      const { p50 } = await measureLoad(
        bench.generator,
        product,
        { ...requests, method: 'GET' },
        load,
      );
      return (p50 * 1e6) / size;
    };
    await measure();
    contenders.push({ measure });
  }
  const costs = await interleave(contenders, bench.rounds, advance);
  return growthRow(bench, 'growth: a list, per order', 'ns', costs, 0);
}

/** Compares starts without the time of an empty store, which is the cost of the process itself. */
async function startRow(bench: Bench, advance: Advance): Promise<Row> {
  const contenders = [];
  for (const size of [0, ...sizesOf(bench)]) {
    const store = await bench.stores.lived(size);
    contenders.push({ measure: () => timeToReadAndAnswer(store) });
  }
  const [empty = [], ...starts] = await interleave(contenders, bench.rounds, advance);
  const costs = starts.map((times, index) => {
    const events = (sizesOf(bench)[index] as number) * 1.5;
    return times.map((time) => ((time - median(empty)) * 1e6) / events);
  });
  // The events of the smallest store take less time than a start varies by, so the next one counts.
  return growthRow(bench, 'growth: start, per event', 'ns', costs, 1);
}

function growthRow(
  bench: Bench,
  name: string,
  unit: string,
  costs: readonly (readonly number[])[],
  base: number,
): Row {
  const medians = costs.map(median);
  const value = (medians.at(-1) as number) / (medians[base] as number);
  return {
    name,
    measured: medians.map((cost) => `${figure(cost)} ${unit}`).join(', '),
    reference: sizesOf(bench).map(countOf).join(', '),
    value,
    unit: '×',
    verdict: value <= MAX_FLAT_RATIO ? 'flat' : 'grows',
    samples: Object.fromEntries(
      costs.map((cost, n) => [countOf(sizesOf(bench)[n] as number), cost]),
    ),
  };
}
