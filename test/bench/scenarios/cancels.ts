import { join } from 'node:path';
import { CANCEL, CommandClients } from '../commands.ts';
import { isEmmettIn } from '../emmett.ts';
import { newFolder } from '../processes.ts';
import { type Advance, compareRates, interleave, type Series } from '../rounds.ts';
import { atLeast, type Row, rowFor, Skip } from '../row.ts';
import { type Bench, countOf, type Scenario } from '../scenario.ts';
import { type Server, startProduct, startServer } from '../servers.ts';

/** Cancellations of random orders a second, compared with floors and other implementations. */
export const cancels: Scenario = {
  name: 'cancels',
  isQuick: true,
  steps: (bench) => bench.rounds * (1 + rivalsOf(bench).length),
  run: (bench, advance) => runCancels(bench, 64, rivalsOf(bench), advance),
};

/** The same with many more clients, compared with the floor. */
export const cancelsWide: Scenario = {
  name: 'cancels-256',
  isQuick: false,
  steps: ({ rounds }) => rounds * 2,
  run: (bench, advance) => runCancels(bench, 256, [BEARER_256], advance),
};

/** A server that the product is compared with. */
interface Rival {
  readonly name: string;
  readonly target?: ReturnType<typeof atLeast>;
  start(bench: Bench): Promise<Server>;
}

function lean(name: string, program: string, target?: Rival['target']): Rival {
  return { name, ...(target && { target }), start: () => startServer(name, program) };
}

function withDatabase(name: string, program: string, target?: Rival['target']): Rival {
  return {
    name,
    ...(target && { target }),
    start: ({ orders, emmett = '' }) =>
      startServer(name, program, [join(newFolder(), 'rival.db'), String(orders), emmett]),
  };
}

const BEARER = lean('Express + bearer', 'express-bearer', atLeast(0.7, 0.95));
const BEARER_256 = lean('Express + bearer', 'express-bearer', atLeast(0.85, 1));
const CRUD = withDatabase('CRUD', 'crud', atLeast(6, 10));
const OTHERS = [
  withDatabase('event-sourced, plainly', 'event-sourced'),
  lean('Express', 'express'),
  lean('node:http', 'node-http'),
];
const EMMETT = withDatabase('Emmett', 'emmett');

function rivalsOf({ quick, emmett }: Bench): readonly Rival[] {
  if (quick) return [BEARER, CRUD];
  return [BEARER, CRUD, ...OTHERS, ...(isEmmettIn(emmett) ? [EMMETT] : [])];
}

async function runCancels(
  bench: Bench,
  connections: number,
  rivals: readonly Rival[],
  advance: Advance,
): Promise<readonly Row[]> {
  await using opened = new AsyncDisposableStack();
  const product = opened.use(await startProduct(await bench.stores.pending(bench.orders)));
  const clients = [clientsOf(bench, product)];
  for (const rival of rivals) clients.push(clientsOf(bench, opened.use(await rival.start(bench))));
  for (const each of clients) await each.warmUp(connections);

  const contenders = clients.map((each) => ({ measure: () => each.measure(connections) }));
  const results = await interleave(contenders, bench.rounds, advance);
  await clients[0]?.check(product);

  const [measured, ...references] = results.map(
    (rounds, index): Series => ({ name: clients[index]?.server.name ?? '', rounds }),
  );
  const what = `cancels, ${connections} connections, ${countOf(bench.orders)}`;
  const rows = rivals.map(({ name, target }, index) =>
    compareRates(`${what}: ${name}`, measured as Series, references[index] as Series, target),
  );
  const isMissing = rivals.length > 2 && !rivals.includes(EMMETT);
  return isMissing ? [...rows, rowFor(`${what}: Emmett`, new Skip(HOW_TO_EMMETT))] : rows;
}

const HOW_TO_EMMETT = 'not installed; docs/benchmarks.md says how';

function clientsOf(bench: Bench, server: Server): CommandClients {
  return new CommandClients(bench, server, CANCEL, bench.orders, bench.rounds);
}
