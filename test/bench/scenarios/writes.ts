import { CommandClients, type CommandKind, PLACE, SHIP } from '../commands.ts';
import { type Advance, compareRates, interleave } from '../rounds.ts';
import { atLeast, type Row } from '../row.ts';
import { type Bench, countOf, type Scenario } from '../scenario.ts';
import { startProduct, startServer } from '../servers.ts';

const CONNECTIONS = 64;

/** The commands with a body, compared with a server that parses the body and does nothing. */
export const writes: Scenario = {
  name: 'place-ship',
  isQuick: false,
  steps: ({ rounds }) => rounds * 4,
  run: async (bench, advance) => [
    await compare(bench, 'place', PLACE, advance),
    await compare(bench, 'ship', SHIP, advance),
  ],
};

async function compare(
  bench: Bench,
  name: string,
  kind: CommandKind,
  advance: Advance,
): Promise<Row> {
  await using opened = new AsyncDisposableStack();
  const product = opened.use(await startProduct(await bench.stores.pending(bench.orders)));
  const floor = opened.use(await startServer('Express + bearer + JSON', 'express-bearer'));
  const clients = [product, floor].map(
    (server) => new CommandClients(bench, server, kind, bench.orders, bench.rounds),
  );
  for (const each of clients) await each.warmUp(CONNECTIONS);
  const contenders = clients.map((each) => ({ measure: () => each.measure(CONNECTIONS) }));
  const [measured = [], reference = []] = await interleave(contenders, bench.rounds, advance);
  await clients[0]?.check(product);
  return compareRates(
    `${name}, ${CONNECTIONS} connections, ${countOf(bench.orders)}`,
    { name: product.name, rounds: measured },
    { name: floor.name, rounds: reference },
    atLeast(0.6, 0.9),
  );
}
