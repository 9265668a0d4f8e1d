import { rm } from 'node:fs/promises';
import type { RawReadOrder, RawReadSeen } from '../clients/raw-read.ts';
import { residentMemory } from '../linux.ts';
import { runProgram } from '../processes.ts';
import { type Advance, interleave } from '../rounds.ts';
import {
  atMost,
  figure,
  judge,
  median,
  medianRatio,
  type Row,
  rowFor,
  Skip,
  type Target,
} from '../row.ts';
import { countOf, type Scenario } from '../scenario.ts';
import { fetchBytes, ORDERS, startProduct, timeToFirstAnswer } from '../servers.ts';
import type { StoreFile } from '../stores.ts';

/**
 * The time from a start to the first response, compared with only reading the log: with the
 * snapshot of the last stop, as usual, and from the log alone.
 */
export const start: Scenario = {
  name: 'start',
  isQuick: true,
  steps: ({ rounds }) => rounds * 3,
  async run(bench, advance) {
    const store = await bench.stores.lived(bench.orders);
    const { usual, whole, reads } = await measureStarts(store, bench.rounds, advance);
    const row = (name: string, starts: readonly number[], target?: Target): Row => {
      const value = medianRatio(starts, reads);
      return {
        name: `${name}, ${countOf(bench.orders)}, ${figure(store.head)} events`,
        measured: `${figure(median(starts))} ms`,
        reference: `raw read: ${figure(median(reads))} ms`,
        value,
        unit: '×',
        ...(target === undefined ? {} : { target }),
        verdict: judge(value, target),
        samples: { measured: starts, reference: reads },
      };
    };
    return [
      row('start to first answer', usual, atMost(2.5, 1.6)),
      row('start without a snapshot', whole),
    ];
  },
};

/** The times of starts in milliseconds, by round. */
interface Starts {
  /** With the snapshot of the last stop. */
  readonly usual: readonly number[];
  /** Without one. */
  readonly whole: readonly number[];
  /** The times to read the log alone. */
  readonly reads: readonly number[];
}

export async function measureStarts(
  store: StoreFile,
  rounds: number,
  advance: Advance,
): Promise<Starts> {
  // Leaves a snapshot for the first round.
  await timeToFirstAnswer(store);
  const contenders = [
    { measure: () => timeToFirstAnswer(store) },
    { measure: () => timeToReadAndAnswer(store) },
    { measure: () => timeToRead(store) },
  ];
  const [usual = [], whole = [], reads = []] = await interleave(contenders, rounds, advance);
  return { usual, whole, reads };
}

/** The resident memory after a start and a list. */
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

/** Returns the time of a start without a snapshot to its first response, in milliseconds. */
export async function timeToReadAndAnswer(store: StoreFile): Promise<number> {
  await rm(`${store.file}-snapshot`, { force: true });
  return timeToFirstAnswer(store);
}

async function timeToRead({ file, head }: StoreFile): Promise<number> {
  const order: RawReadOrder = { file };
  const { rows, milliseconds } = await runProgram<RawReadSeen>('clients/raw-read', order, 600);
  if (rows !== head) throw new Error(`${rows} rows were read where there are ${head}`);
  return milliseconds;
}
