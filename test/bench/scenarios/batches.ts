import { setTimeout } from 'node:timers/promises';
import { BATCH_CLIENTS, BATCH_ORDERS, BatchClients, type Batches } from '../batch-clients.ts';
import { CANCEL, CommandClients } from '../commands.ts';
import { IdSequence } from '../id-sequence.ts';
import { Ledger } from '../ledger.ts';
import type { Measured } from '../rounds.ts';
import { atLeast, atMost, figure, judge, median, type Row } from '../row.ts';
import { countOf, type Scenario } from '../scenario.ts';
import { startProduct } from '../servers.ts';

const SINGLE_CLIENTS = 64;
/** The share of a store's orders that single cancellations may use; batches use the others. */
const FOR_SINGLES = 0.2;
/** The orders of a load of batches, in stores of the usual size: each is cancelled once. */
const STORES_PER_LOAD = 0.4;
/** The time before the single cancellations begin beside the batches. */
const LEAD_MS = 200;
/** The time for which batches are sent, beyond that of the single cancellations beside them. */
const MORE_S = 1.5;

/** Cancellations in batches of 500, alone and beside single ones. */
export const batches: Scenario = {
  name: 'batches',
  isQuick: false,
  steps: ({ rounds }) => rounds * 3,
  async run(bench, advance) {
    const loads = 2 * bench.rounds + 1;
    const orders = Math.ceil(bench.orders * STORES_PER_LOAD * loads);
    await using product = await startProduct(await bench.stores.pending(orders));
    const ledger = new Ledger('OrderCancelled');
    const firstOfBatches = Math.floor(orders * FOR_SINGLES) + 1;
    const ids = new IdSequence(firstOfBatches - 1);
    const singles = new CommandClients(
      bench,
      product,
      CANCEL,
      ids.size,
      bench.rounds * 2,
      ids,
      ledger,
    );
    const range = { first: firstOfBatches, end: orders + 1, loads };
    const many = new BatchClients(product, ledger, range);
    await singles.warmUp(SINGLE_CLIENTS);
    await many.send(bench.seconds);

    const alone: Measured[] = [];
    const beside: Measured[] = [];
    const rates: number[] = [];
    const batchesBeside: Batches[] = [];
    for (let round = 0; round < bench.rounds; round++) {
      alone.push(await singles.measure(SINGLE_CLIENTS));
      advance();
      rates.push((await many.send(bench.seconds)).rate);
      advance();
      let areOver = false;
      const batching = many.send(bench.seconds + MORE_S).finally(() => {
        areOver = true;
      });
      await setTimeout(LEAD_MS);
      beside.push(await singles.measure(SINGLE_CLIENTS));
      // Their orders may run out, and nothing beside them would be measured.
      if (areOver) throw new Error('the batches ended before the single commands beside them');
      batchesBeside.push(await batching);
      advance();
    }
    await singles.check(product);
    return rowsOf(countOf(orders), { alone, beside, rates, batchesBeside });
  },
};

interface Results {
  readonly alone: readonly Measured[];
  readonly beside: readonly Measured[];
  readonly rates: readonly number[];
  readonly batchesBeside: readonly Batches[];
}

function rowsOf(count: string, { alone, beside, rates, batchesBeside }: Results): readonly Row[] {
  const singleRate = median(alone.map(({ rate }) => rate));
  const [p99Alone, p99Beside] = [alone, beside].map((rounds) =>
    median(rounds.map(({ p99 }) => p99)),
  ) as [number, number];
  const rate = median(rates);
  const fast = atLeast(100_000, 200_000);
  const times = p99Beside / p99Alone;
  const fair = atMost(2, 1.2);
  const refused = batchesBeside.reduce((sum, { refused }) => sum + refused, 0);
  return [
    {
      name: `cancels in batches of ${BATCH_ORDERS}, ${BATCH_CLIENTS} connections, ${count}`,
      measured: `${figure(rate)}/s`,
      reference: `one by one, ${SINGLE_CLIENTS} connections: ${figure(singleRate)}/s`,
      value: rate,
      unit: '/s',
      target: fast,
      verdict: judge(rate, fast),
      samples: { measured: rates },
    },
    {
      name: `single cancels beside batches, ${SINGLE_CLIENTS} connections, ${count}: p99`,
      measured: `${figure(p99Beside)} ms`,
      reference: `alone: ${figure(p99Alone)} ms`,
      value: times,
      unit: '×',
      target: fair,
      verdict: judge(times, fair),
      note: `${figure(median(batchesBeside.map(({ rate }) => rate)))} orders a second in the batches, ${refused} refusals`,
    },
  ];
}
