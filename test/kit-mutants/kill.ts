import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { check } from '../kit/check.ts';
import { runConformance } from '../kit/conformance/conformance.ts';
import { storeTarget } from '../kit/targets/store.ts';
import { type Mutant, mutatedApp, mutatedListener } from './mutated.ts';

/** Which properties of the kit have found out a mutant. */
export interface Killed {
  readonly name: string;
  /** The rule that the model has found broken on the application. */
  readonly onTheApp: string | undefined;
  /** The checks of `conformance` that have failed. */
  readonly overHttp: readonly string[];
}

/** The same for every mutant, so that one run can be compared with the next. */
const RUN_SEED = 1;

export async function kill(mutant: Mutant): Promise<Killed> {
  return {
    name: mutant.name,
    onTheApp: await brokenOnTheApp(mutant),
    overHttp: await failedOverHttp(mutant),
  };
}

async function brokenOnTheApp(mutant: Mutant): Promise<string | undefined> {
  const target = storeTarget(mutant.name, () => mutatedApp(mutant));
  const does = ['place', 'ship', 'cancel', 'get', 'list', 'restart'] as const;
  const alone = await check(target, { runs: 150, seed: RUN_SEED, maxSteps: 12, does });
  if (alone.counterexample !== undefined) return alone.counterexample.rule;
  const together = await check(target, { runs: 200, together: 20, seed: RUN_SEED, maxSteps: 12 });
  return together.counterexample?.rule;
}

async function failedOverHttp(mutant: Mutant): Promise<readonly string[]> {
  const { listener, key, revokedKey } = await mutatedListener(mutant);
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  try {
    const baseUrl = `http://127.0.0.1:${port}/v1`;
    const given = { baseUrl, key, revokedKey, runs: 40, concurrency: 1, seed: RUN_SEED };
    const { checks } = await runConformance(given);
    return checks.filter(({ result }) => result === 'failed').map(({ name }) => name);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}
