import { CANCEL, CommandClients } from '../commands.ts';
import { compareRates, interleave } from '../rounds.ts';
import { atLeast } from '../row.ts';
import { countOf, type Scenario } from '../scenario.ts';
import { changedProduct, startProduct } from '../servers.ts';

const CONNECTIONS = 64;

/**
 * Measures the cost of the log's Merkle tree: the service against itself with leaves that are not
 * hashed. A log without a tree would be refused as damaged.
 */
export const tree: Scenario = {
  name: 'tree',
  isQuick: false,
  steps: ({ rounds }) => rounds * 2,
  async run(bench, advance) {
    await using opened = new AsyncDisposableStack();
    const without = changedProduct([
      'infra/sqlite/merkle-tables.js',
      'frontier.append(leafHash(recordOf(event)),',
      'frontier.append(Buffer.alloc(32),',
    ]);
    // Each is checked when it starts; a later check would find the one with such leaves damaged.
    const env = { SCRUB_BYTES_PER_SECOND: '0' };
    const servers = [
      opened.use(await startProduct(await bench.stores.pending(bench.orders), env)),
      opened.use(await startProduct(await bench.stores.pending(bench.orders), env, without)),
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
        { name: 'without hashes of leaves', rounds: reference },
        atLeast(0.9, 1),
      ),
    ];
  },
};
