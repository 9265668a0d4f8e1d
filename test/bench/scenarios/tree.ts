import { CANCEL, CommandClients } from '../commands.ts';
import { compareRates, interleave } from '../rounds.ts';
import { atLeast } from '../row.ts';
import { countOf, type Scenario } from '../scenario.ts';
import { changedProduct, startProduct } from '../servers.ts';

const CONNECTIONS = 64;

/** What the log's Merkle tree costs: the service against itself without the line that grows it. */
export const tree: Scenario = {
  name: 'tree',
  isQuick: false,
  steps: ({ rounds }) => rounds * 2,
  async run(bench, advance) {
    await using opened = new AsyncDisposableStack();
    const without = changedProduct(
      'infra/sqlite/sqlite-event-log.js',
      'this.#tree.append(stored);',
      '',
    );
    const servers = [
      opened.use(await startProduct(await bench.stores.pending(bench.orders))),
      opened.use(await startProduct(await bench.stores.pending(bench.orders), {}, without)),
    ];
    const clients = servers.map(
      (server) => new CommandClients(bench, server, CANCEL, bench.orders, bench.rounds),
    );
    for (const each of clients) await each.warmUp(CONNECTIONS);
    const contenders = clients.map((each) => ({ measure: () => each.measure(CONNECTIONS) }));
    const [measured = [], reference = []] = await interleave(contenders, bench.rounds, advance);
    for (const [index, server] of servers.entries()) await clients[index]?.check(server);
    return [
      compareRates(
        `cancels, ${CONNECTIONS} connections, ${countOf(bench.orders)}: with the tree`,
        { name: 'with the tree', rounds: measured },
        { name: 'without', rounds: reference },
        atLeast(0.9, 1),
      ),
    ];
  },
};
