import fc, { type Arbitrary } from 'fast-check';
import type { Counterexample } from '../check.ts';
import { brokenBy } from '../check.ts';
import { Violation } from '../target.ts';
import type { OrdersApi } from '../targets/orders-api.ts';

/** What a check may need. What a server lacks, or what it was told not to do, leaves it out. */
export type Need = 'to write' | 'to place' | 'to ship' | 'to get one order' | 'a revoked key';

/** What a check works with. */
export interface Trial {
  readonly api: OrdersApi;
  readonly key: string;
  readonly revokedKey?: string;
  readonly seed: number;
  /** How many programs the model runs; smaller checks make do with fewer. */
  readonly runs: number;
  /** How many of them at once. */
  readonly concurrency: number;
  /** What the server lacks, and why. */
  readonly lacking: ReadonlyMap<Need, string>;
  advance(runs: number): void;
}

export interface Check {
  /** The rule, as a sentence that is true of a server that keeps it. */
  readonly name: string;
  readonly group: 'authentication' | 'errors' | 'list' | 'int64' | 'cancel' | 'ship' | 'model';
  /** Whether the contract says so, or only this service promises it, where the contract is silent. */
  readonly basis: 'contract' | 'promise';
  readonly needs: readonly Need[];
  /** Resolves if the rule holds, or with the program that breaks it; or throws a Violation. */
  run(trial: Trial): Promise<Counterexample | undefined>;
}

/** Holds a rule against what is drawn; throws the shrunk counterexample in the rule's own words. */
export async function forAll<Value>(
  { seed }: Trial,
  values: Arbitrary<Value>,
  numRuns: number,
  rule: (value: Value) => Promise<void>,
): Promise<undefined> {
  const details = await fc.check(fc.asyncProperty(values, rule), { seed, numRuns });
  if (!details.failed) return undefined;
  // What is not a broken rule, such as a server that is gone, is thrown as it is.
  if (!(details.errorInstance instanceof Violation)) throw details.errorInstance;
  const { rule: broken, detail } = brokenBy(details.errorInstance);
  throw new Violation(broken, `${detail} (seed ${seed}, path ${details.counterexamplePath})`);
}

/** Throws unless something holds. */
export function must(holds: boolean, rule: string, detail: string): void {
  if (!holds) throw new Violation(rule, detail);
}
