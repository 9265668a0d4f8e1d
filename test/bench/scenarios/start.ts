import type { RawReadOrder, RawReadSeen } from '../clients/raw-read.ts';
import { residentMemory } from '../linux.ts';
import { runProgram } from '../processes.ts';
import { interleave } from '../rounds.ts';
import { atMost, figure, judge, median, medianRatio, rowFor, Skip } from '../row.ts';
import { countOf, type Scenario } from '../scenario.ts';
import { fetchBytes, ORDERS, type Product, startProduct } from '../servers.ts';
import type { StoreFile } from '../stores.ts';

/** How long a start takes until the first answer, against only reading the log. */
export const start: Scenario = {
  name: 'start',
  isQuick: true,
  steps: ({ rounds }) => rounds * 2,
  async run(bench, advance) {
    const store = await bench.stores.lived(bench.orders);
    const contenders = [
      { measure: () => timeToFirstAnswer(store) },
      { measure: () => timeToRead(store) },
    ];
    const [starts = [], reads = []] = await interleave(contenders, bench.rounds, advance);
    const value = medianRatio(starts, reads);
    const target = atMost(2.5, 1.6);
    return [
      {
        name: `start to first answer, ${countOf(bench.orders)}, ${figure(store.head)} events`,
        measured: `${figure(median(starts))} ms`,
        reference: `raw read: ${figure(median(reads))} ms`,
        value,
        unit: '×',
        target,
        verdict: judge(value, target),
        samples: { measured: starts, reference: reads },
      },
    ];
  },
};

/** The memory that stays resident after a start and a list. */
export const memory: Scenario = {
  name: 'memory',
  isQuick: true,
  steps: () => 1,
  async run(bench, advance) {
    const name = `resident memory after a list, ${countOf(bench.orders)}`;
    await using product = await startProduct(await bench.stores.lived(bench.orders));
    await fetchBytes(product, ORDERS);
    const value = residentMemory(product.pid);
    advance();
    if (value === undefined) return [rowFor(name, new Skip('only Linux tells of memory'))];
    const target = atMost(500, 300);
    const verdict = judge(value, target);
    const measured = `${figure(value)} MB`;
    return [{ name, measured, reference: '', value, unit: ' MB', target, verdict }];
  },
};

/** Milliseconds from starting the process to the end of its first answer. */
export async function timeToFirstAnswer(store: StoreFile): Promise<number> {
  const begun = performance.now();
  const product: Product = await startProduct(store);
  try {
    const { status } = await fetchBytes(product, store.orders > 0 ? `${ORDERS}/1` : ORDERS);
    if (status !== 200) throw new Error(`the first answer was ${status}`);
    return performance.now() - begun;
  } finally {
    await product.stop();
  }
}

async function timeToRead({ file, head }: StoreFile): Promise<number> {
  const order: RawReadOrder = { file };
  const { rows, milliseconds } = await runProgram<RawReadSeen>('clients/raw-read', order, 120);
  if (rows !== head) throw new Error(`${rows} rows were read where there are ${head}`);
  return milliseconds;
}
