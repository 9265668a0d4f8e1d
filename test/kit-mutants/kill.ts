import { check } from '../kit/check.ts';
import { storeTarget } from '../kit/targets/store.ts';
import { conform, failedIn } from './contract/conform.ts';
import { type Mutant, mutatedApp } from './mutated.ts';

/** Which properties of the kit have found out a mutant. */
export interface Killed {
  readonly name: string;
  /** The rule that the model has found broken on the application. */
  readonly onTheApp: string | undefined;
  /** The first check of `conformance` that has failed. */
  readonly overHttp: string | undefined;
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

// The pause and many orders show faults of time and of long lists, which are in ./contract.
async function failedOverHttp(mutant: Mutant): Promise<string | undefined> {
  const options = { seed: RUN_SEED, orders: 0, pause: 0, bail: true };
  return failedIn(await conform(mutant, options))[0];
}
