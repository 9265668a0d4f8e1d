import type { ListAfterWriteOrder, ListAfterWriteSeen } from '../clients/list-after-write.ts';
import { CANCEL, CommandClients } from '../commands.ts';
import { runProgram } from '../processes.ts';
import { atMost, figure, judge, median, type Row, type Target } from '../row.ts';
import { countOf, type Scenario } from '../scenario.ts';
import { BEARER, ORDERS, startProduct } from '../servers.ts';
import { SHIP_DATE } from '../stores.ts';

const REPETITIONS = 10;

/** The additional time of a list right after a change, compared with an unchanged one. */
export const listAfterWrite: Scenario = {
  name: 'list-after-write',
  isQuick: true,
  steps: ({ rounds }) => rounds,
  async run(bench, advance) {
    const orders = bench.orders / 10;
    await using product = await startProduct(await bench.stores.pending(orders));
    const clients = new CommandClients(bench, product, CANCEL, orders, bench.rounds);
    const rounds: ListAfterWriteSeen[] = [];
    // The first round is a warm-up.
    for (let round = 0; round <= bench.rounds; round++) {
      const seen = await runRound(clients);
      if (round > 0) rounds.push(seen);
      if (round > 0) advance();
    }
    await clients.check(product);
    return rowsOf(rounds, orders);
  },
};

async function runRound({ server, ids, ledger }: CommandClients): Promise<ListAfterWriteSeen> {
  const order: ListAfterWriteOrder = {
    url: `${server.address}${ORDERS}`,
    headers: { ...BEARER, 'Accept-Encoding': 'identity' },
    ids: { first: ids.used, step: ids.step, size: ids.size },
    repetitions: REPETITIONS,
    shipDate: SHIP_DATE,
  };
  const seen = await runProgram<ListAfterWriteSeen>('clients/list-after-write', order, 120);
  ids.use(REPETITIONS * 2);
  ledger.note({ answered: seen.cancelled.length, ids: seen.cancelled }, 0);
  return seen;
}

function rowsOf(rounds: readonly ListAfterWriteSeen[], orders: number): readonly Row[] {
  const unchanged = rounds.flatMap((round) => round.unchanged);
  const row = (what: string, times: readonly number[], target?: Target): Row => {
    const value = median(times) / median(unchanged);
    return {
      name: `list right after ${what}, ${countOf(orders)}`,
      measured: `${figure(median(times))} ms`,
      reference: `unchanged: ${figure(median(unchanged))} ms`,
      value,
      unit: '×',
      ...(target === undefined ? {} : { target }),
      verdict: judge(value, target),
      samples: { measured: times, reference: unchanged },
    };
  };
  return [
    row(
      'a cancel',
      rounds.flatMap(({ afterCancel }) => afterCancel),
      atMost(1.2, 1.05),
    ),
    row(
      'a shipment',
      rounds.flatMap(({ afterShip }) => afterShip),
    ),
  ];
}
