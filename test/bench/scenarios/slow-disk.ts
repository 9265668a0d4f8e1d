import { once } from 'node:events';
import { request } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import type { GetLatencyOrder, GetLatencySeen } from '../clients/get-latency.ts';
import { CANCEL, CommandClients } from '../commands.ts';
import { runProgram } from '../processes.ts';
import { compareRates, interleave, type Measured } from '../rounds.ts';
import { atLeast, atMost, figure, judge, median, type Row, Skip } from '../row.ts';
import { type Bench, countOf, type Scenario } from '../scenario.ts';
import { BEARER, ORDERS, type Product, type Server, startServer } from '../servers.ts';
import { FSYNC_DELAY_MS, startOnSlowDisk } from '../slow-disk.ts';

const CONNECTIONS = 64;

/** A disk with slow flushes: the remaining rate of commands, and the effect on readers. */
export const slowDisk: Scenario = {
  name: 'slow-disk',
  isQuick: false,
  steps: ({ rounds }) => rounds * 2,
  async run(bench, advance) {
    await using opened = new AsyncDisposableStack();
    const product = opened.use(await startOnSlowDisk(await bench.stores.pending(bench.orders)));
    const floor = opened.use(await startServer('Express + bearer', 'express-bearer'));
    const [cancelling, idle] = [product, floor].map(
      (server) => new CommandClients(bench, server, CANCEL, bench.orders, bench.rounds),
    ) as [CommandClients, CommandClients];
    await requireSlowness(cancelling);
    await cancelling.warmUp(CONNECTIONS);
    await idle.warmUp(CONNECTIONS);

    const gets: GetLatencySeen[] = [];
    const getsAlone: GetLatencySeen[] = [];
    const contenders = [
      { measure: () => cancelWhileGetting(bench, cancelling, product, gets) },
      {
        async measure() {
          const measured = await idle.measure(CONNECTIONS);
          // The share of the client and the machine.
          getsAlone.push(await getLatency(bench, floor));
          return measured;
        },
      },
    ];
    const [measured = [], reference = []] = await interleave(contenders, bench.rounds, advance);
    await cancelling.check(product);
    const name = `fsync + ${FSYNC_DELAY_MS} ms, ${countOf(bench.orders)}`;
    return [
      compareRates(
        `${name}: cancels, ${CONNECTIONS} connections`,
        { name: product.name, rounds: measured },
        { name: `${floor.name}, not slowed`, rounds: reference },
        atLeast(0.25, 0.35),
      ),
      latencyRow(`${name}: p50 of a GET meanwhile`, gets, `${floor.name}, idle`, getsAlone),
    ];
  },
};

async function cancelWhileGetting(
  bench: Bench,
  cancelling: CommandClients,
  product: Product,
  gets: GetLatencySeen[],
): Promise<Measured> {
  const cancelled = cancelling.measure(CONNECTIONS);
  await setTimeout(Math.min(200, bench.seconds * 200));
  const [measured, seen] = await Promise.all([cancelled, getLatency(bench, product)]);
  gets.push(seen);
  return measured;
}

function getLatency({ orders, seconds }: Bench, { address }: Server): Promise<GetLatencySeen> {
  const url = `${address}${ORDERS}`;
  const order: GetLatencyOrder = { url, headers: BEARER, orders, seconds: seconds * 0.7 };
  return runProgram<GetLatencySeen>('clients/get-latency', order, seconds + 30);
}

/** Checks that the delay is effective: no cancel is answered before it is over. */
async function requireSlowness({ server, ids, ledger }: CommandClients): Promise<void> {
  for (let n = 0; n < 3; n++) {
    const id = ids.at(ids.used);
    ids.use(1);
    const begun = performance.now();
    const asked = request(`${server.address}${ORDERS}/${id}`, {
      method: 'DELETE',
      headers: BEARER,
    });
    const [res] = await once(asked.end(), 'response');
    const took = performance.now() - begun;
    if (res.resume().statusCode !== 204) throw new Error(`a cancel got ${res.statusCode}`);
    ledger.note({ answered: 1, ids: [id] }, 0);
    if (took < FSYNC_DELAY_MS)
      throw new Skip(`the disk is not slower: a cancel took ${figure(took)} ms`);
  }
}

function latencyRow(
  name: string,
  gets: readonly GetLatencySeen[],
  other: string,
  getsAlone: readonly GetLatencySeen[],
): Row {
  const value = median(gets.map(({ p50 }) => p50));
  const p99 = median(gets.map(({ p99 }) => p99));
  const alone = median(getsAlone.map(({ p50 }) => p50));
  const target = atMost(1, 0.6);
  return {
    name,
    measured: `${figure(value)} ms`,
    reference: `p99: ${figure(p99)} ms; ${other}: ${figure(alone)} ms`,
    value,
    unit: ' ms',
    target,
    verdict: judge(value, target),
    samples: { measured: gets.map(({ p50 }) => p50), reference: getsAlone.map(({ p50 }) => p50) },
  };
}
