import { CHROMIUM, WITHOUT_CHROMIUM } from '../../support/chromium.ts';
import type { ConsoleOrder, ConsoleSeen } from '../clients/console.ts';
import { runProgram } from '../processes.ts';
import { atMost, figure, judge, median, medianRatio, type Row, rowFor, Skip } from '../row.ts';
import { countOf, type Scenario } from '../scenario.ts';
import { KEY, startProduct } from '../servers.ts';

/** The longest run of the browser, in seconds. */
const RUN_SECONDS_MAX = 900;

/** The console in Chromium, on the largest store. */
export const consolePages: Scenario = {
  name: 'console',
  isQuick: false,
  steps: () => 1,
  async run(bench, advance) {
    const size = countOf(bench.orders);
    if (CHROMIUM === undefined) return [rowFor(`console, ${size}`, new Skip(WITHOUT_CHROMIUM))];
    await using product = await startProduct(await bench.stores.lived(bench.orders));
    const order: ConsoleOrder = { address: product.address, key: KEY, rounds: bench.rounds };
    const seen = await runProgram<ConsoleSeen>('clients/console', order, RUN_SECONDS_MAX);
    advance();
    const walked = `${figure(seen.walked)} orders and ${figure(seen.jumps)} places of the log`;
    const first = median(seen.firstRows);
    const [responsive, tail] = [worstOf(seen.interactions, 0.98), worstOf(seen.tail, 0.99)];
    return [
      {
        ...limit(`console, ${size}: first rows`, first, ' ms', 500, 250),
        reference: `a page without data: ${figure(median(seen.plainPage))} ms`,
        note: `${figure(medianRatio(seen.firstRows, seen.plainPage))}×`,
      },
      limit(`console, ${size}: interaction to next paint`, responsive, ' ms', 100, 50),
      limit(`console, ${size}: an event in the tail after its 201`, tail, ' ms', 1_000, 100),
      limit(`console, ${size}: heap after ${walked}`, seen.heap, ' MB', 80, 20),
      limit(`console, ${size}: rows in the page`, seen.rows, '', 60, 60),
    ];
  },
};

function limit(
  name: string,
  value: number,
  unit: ' ms' | ' MB' | '',
  required: number,
  aim: number,
): Row {
  const target = atMost(required, aim);
  const verdict = judge(value, target);
  const measured = `${figure(value)}${unit}`;
  return { name, measured, reference: '', value, ...(unit && { unit }), target, verdict };
}

/** Returns the time that a share of the times does not exceed. */
function worstOf(times: readonly number[], share: number): number {
  return times.toSorted((a, b) => a - b)[Math.ceil(times.length * share) - 1] ?? Number.NaN;
}
