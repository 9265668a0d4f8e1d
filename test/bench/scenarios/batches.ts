import { setTimeout } from 'node:timers/promises';
import type { BatchCancelOrder, BatchCancelSeen } from '../clients/batch-cancel.ts';
import { CANCEL, CommandClients } from '../commands.ts';
import { IdSequence } from '../id-sequence.ts';
import { Ledger } from '../ledger.ts';
import { runProgram } from '../processes.ts';
import type { Measured } from '../rounds.ts';
import { atLeast, atMost, figure, judge, median, type Row } from '../row.ts';
import { type Bench, countOf, type Scenario } from '../scenario.ts';
import { BEARER, type Product, startProduct } from '../servers.ts';

const BATCH_CLIENTS = 4;
const BATCH_ORDERS = 500;
const SINGLE_CLIENTS = 64;
/** The share of a store's orders that single cancellations may use; batches use the others. */
const FOR_SINGLES = 0.2;
/** The time before the single cancellations begin beside the batches. */
const LEAD_MS = 200;
const PATIENCE_S = 60;

/** Cancellations in batches of 500, alone and beside single ones. */
export const batches: Scenario = {
  name: 'batches',
  isQuick: false,
  steps: ({ rounds }) => rounds * 3,
  async run(bench, advance) {
    const orders = bench.orders;
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
    const many = new BatchClients(bench, product, ledger, firstOfBatches, orders + 1);
    await singles.warmUp(SINGLE_CLIENTS);
    await many.send(bench.seconds);

    const [alone, beside, rates, besideRates]: [Measured[], Measured[], number[], number[]] = [
      [],
      [],
      [],
      [],
    ];
    for (let round = 0; round < bench.rounds; round++) {
      alone.push(await singles.measure(SINGLE_CLIENTS));
      advance();
      rates.push(await many.send(bench.seconds));
      advance();
      const batching = many.send(bench.seconds + 1);
      await setTimeout(LEAD_MS);
      beside.push(await singles.measure(SINGLE_CLIENTS));
      besideRates.push(await batching);
      advance();
    }
    await singles.check(product);
    return rowsOf(countOf(orders), { alone, beside, rates, besideRates });
  },
};

/** Sends batches over the orders of a range, each once. */
class BatchClients {
  readonly #product: Product;
  readonly #ledger: Ledger;
  readonly #end: number;
  /** The orders of one load: the range is shared by the warm-up and all rounds. */
  readonly #share: number;
  #next: number;

  constructor({ rounds }: Bench, product: Product, ledger: Ledger, first: number, end: number) {
    this.#product = product;
    this.#ledger = ledger;
    this.#next = first;
    this.#end = end;
    this.#share = Math.floor((end - first) / (2 * rounds + 1));
  }

  /** Returns the orders that were cancelled a second. */
  async send(seconds: number): Promise<number> {
    const order: BatchCancelOrder = {
      url: `${this.#product.address}/v2/store/orders:batchCancel`,
      headers: BEARER,
      connections: BATCH_CLIENTS,
      size: BATCH_ORDERS,
      first: this.#next,
      end: Math.min(this.#end, this.#next + this.#share),
      seconds,
    };
    const limit = seconds + PATIENCE_S;
    const seen = await runProgram<BatchCancelSeen>('clients/batch-cancel', order, limit);
    this.#next = seen.next;
    this.#ledger.note({ answered: seen.cancelled }, 0);
    return seen.cancelled / seen.seconds;
  }
}

interface Results {
  readonly alone: readonly Measured[];
  readonly beside: readonly Measured[];
  readonly rates: readonly number[];
  readonly besideRates: readonly number[];
}

function rowsOf(count: string, { alone, beside, rates, besideRates }: Results): readonly Row[] {
  const singleRate = median(alone.map(({ rate }) => rate));
  const [p99Alone, p99Beside] = [alone, beside].map((rounds) =>
    median(rounds.map(({ p99 }) => p99)),
  ) as [number, number];
  const rate = median(rates);
  const fast = atLeast(100_000, 200_000);
  const times = p99Beside / p99Alone;
  const fair = atMost(2, 1.2);
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
      note: `${figure(median(besideRates))} orders a second in the batches`,
    },
  ];
}
