import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { withProgress } from '../../src/cli/shared/progress.ts';
import { loadGenerator } from './load.ts';
import { type Options, readOptions } from './options.ts';
import { cleanUpOnSignals } from './processes.ts';
import { aboutThis, asJson, asMarkdown, asTable, describe } from './report.ts';
import { type Row, rowFor } from './row.ts';
import type { Bench, Scenario } from './scenario.ts';
import { against, againstOnPostgres } from './scenarios/against.ts';
import { batches } from './scenarios/batches.ts';
import { cancels, cancelsWide } from './scenarios/cancels.ts';
import { consolePages } from './scenarios/console.ts';
import { growth } from './scenarios/growth.ts';
import { listAfterWrite } from './scenarios/list-after-write.ts';
import { gzip, lists } from './scenarios/lists.ts';
import { metrics } from './scenarios/metrics.ts';
import { mixed } from './scenarios/mixed.ts';
import { postgres } from './scenarios/postgres.ts';
import { provable } from './scenarios/provable.ts';
import { scale } from './scenarios/scale.ts';
import { slowDisk } from './scenarios/slow-disk.ts';
import { memory, start } from './scenarios/start.ts';
import { tiles } from './scenarios/tiles.ts';
import { tree } from './scenarios/tree.ts';
import { v2Page } from './scenarios/v2-page.ts';
import { writes } from './scenarios/writes.ts';
import { Stores } from './stores.ts';

/**
 * The benchmark: the service as in production, compared with floors and competitors, each in a
 * process of its own, in turn, on this machine. docs/benchmarks.md explains the rows.
 */

const SCENARIOS: readonly Scenario[] = [
  cancels,
  cancelsWide,
  batches,
  slowDisk,
  lists,
  gzip,
  listAfterWrite,
  v2Page,
  start,
  memory,
  mixed,
  writes,
  tree,
  tiles,
  provable,
  metrics,
  growth,
  scale,
  consolePages,
  postgres,
];

const WITHOUT_WRK =
  'autocannon occupies a processor of its own, so servers with several threads reach less than they ' +
  'can: install wrk before judging them.';

cleanUpOnSignals();
const options = readOptions(
  process.argv.slice(2),
  SCENARIOS.map(({ name }) => name),
);
const bench = benchFor(options);
const { rounds, seconds, orders } = options;
const about = aboutThis({ load: bench.generator.name, rounds, seconds, orders });
process.stderr.write(`${describe(about)}\n`);
if (about.load === 'autocannon') process.stderr.write(`${WITHOUT_WRK}\n`);

const rows: Row[] = [];
for (const scenario of chosen(options)) rows.push(...(await runScenario(scenario)));

process.stdout.write(`${asTable(rows)}\n`);
if (options.json !== undefined) writeFileSync(options.json, asJson(rows, about));
if (options.markdown !== undefined) writeFileSync(options.markdown, asMarkdown(rows, about));
// A slow row is a result; a wrong response is a failure.
process.exit(rows.some(({ verdict }) => verdict === 'failed') ? 1 : 0);

function benchFor({ load, emmett, ...rest }: Options): Bench {
  return { ...rest, emmett, generator: loadGenerator(load), stores: new Stores() };
}

function chosen({
  only,
  quick,
  postgres: isPostgres = false,
  against: other,
}: Options): readonly Scenario[] {
  if (other !== undefined) {
    const root = resolve(other);
    return [isPostgres ? againstOnPostgres(root) : against(root)];
  }
  if (isPostgres) return [postgres];
  if (only.length > 0) return SCENARIOS.filter(({ name }) => only.includes(name));
  return SCENARIOS.filter((each) => each !== postgres && (each.isQuick || !quick));
}

async function runScenario(scenario: Scenario): Promise<readonly Row[]> {
  const { name } = scenario;
  process.stderr.write(`${name} …\n`);
  try {
    return await withProgress(process.stderr, name, scenario.steps(bench), (advance) => {
      let done = 0;
      return scenario.run(bench, () => {
        done += 1;
        advance(done);
      });
    });
  } catch (error) {
    return [rowFor(name, error)];
  }
}
