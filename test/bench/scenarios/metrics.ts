import type { MetricsCost } from '../clients/metrics-cost.ts';
import { CANCEL, CommandClients } from '../commands.ts';
import { runProgram } from '../processes.ts';
import { compareRates, interleave } from '../rounds.ts';
import { atLeast, atMost, figure, judge, type Row } from '../row.ts';
import { countOf, type Scenario } from '../scenario.ts';
import {
  changedProduct,
  fetchBytes,
  type Replacement,
  type Server,
  startProduct,
} from '../servers.ts';

const CONNECTIONS = 64;
/** Fifteen times as often as a Prometheus does by default. */
const SCRAPE_INTERVAL_MS = 1_000;

/** Takes out what is counted for each request and for each batch. */
const WITHOUT: readonly Replacement[] = [
  ['http/request-log.js', 'this.#metrics.observe(context, durationMs);', ''],
  ['app/write/queue/pipeline.js', 'this.commands.observe(outcomes.length);', ''],
  [
    'app/write/queue/pipeline.js',
    'this.seconds.observe((CLOCKS.elapsed() - begunMs) / 1_000);',
    '',
  ],
];

/** Measures the cost of metrics, by themselves and as a part of all that a cancellation costs. */
export const metrics: Scenario = {
  name: 'metrics',
  isQuick: false,
  steps: ({ rounds }) => rounds * 2 + 1,
  async run(bench, advance) {
    await using opened = new AsyncDisposableStack();
    const without = changedProduct(...WITHOUT);
    const servers = [
      opened.use(await startProduct(await bench.stores.pending(bench.orders))),
      opened.use(await startProduct(await bench.stores.pending(bench.orders), {}, without)),
    ] as const;
    const clients = servers.map(
      (server) => new CommandClients(bench, server, CANCEL, bench.orders, bench.rounds),
    );
    for (const each of clients) await each.warmUp(CONNECTIONS);
    const contenders = clients.map((each, index) => ({
      measure: () => {
        const measured = each.measure(CONNECTIONS);
        return index === 0 ? whileScraped(servers[0], measured) : measured;
      },
    }));
    const [measured = [], reference = []] = await interleave(contenders, bench.rounds, advance);
    for (const [index, server] of servers.entries()) await clients[index]?.check(server);
    const cost = await runProgram<MetricsCost>('clients/metrics-cost', {}, 60);
    advance();
    return [
      compareRates(
        `cancels, ${CONNECTIONS} connections, ${countOf(bench.orders)}: with metrics, scraped`,
        { name: 'with metrics', rounds: measured },
        { name: 'without', rounds: reference },
        atLeast(0.99, 1),
      ),
      costRow('metrics: an observation', cost.observationUs, ' µs', 0.1),
      costRow('spans: a request without an SDK', cost.spanUs, ' µs', 0.1),
      costRow('slow requests: the times that each request notes', cost.timesUs, ' µs'),
      costRow(`metrics: a scrape of ${figure(cost.lines)} lines`, cost.scrapeMs, ' ms', 2),
    ];
  },
};

/** Scrapes a server for as long as a load lasts. */
async function whileScraped<Result>(server: Server, load: Promise<Result>): Promise<Result> {
  const scraping = setInterval(() => {
    // A failed scrape ends the bench: it is rejected, and nobody waits for it.
    void scrape(server);
  }, SCRAPE_INTERVAL_MS);
  try {
    return await load;
  } finally {
    clearInterval(scraping);
  }
}

async function scrape(server: Server): Promise<void> {
  const { status } = await fetchBytes(server, '/metrics');
  if (status !== 200) throw new Error(`a scrape was answered with ${status}`);
}

function costRow(name: string, value: number, unit: ' µs' | ' ms', most?: number): Row {
  const measured = `${figure(value)}${unit}`;
  const target = most === undefined ? undefined : atMost(most, most / 2);
  const verdict = judge(value, target);
  return { name, measured, reference: '', value, unit, verdict, ...(target && { target }) };
}
