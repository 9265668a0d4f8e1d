import fc, { type Arbitrary } from 'fast-check';
import type { Counterexample } from '../check.ts';
import { brokenBy } from '../check.ts';
import { Violation } from '../target.ts';
import type { OrdersApi } from '../targets/orders-api.ts';

/** The needs of a check. A check is skipped if the server or the options do not meet one. */
export type Need = 'to write' | 'to place' | 'to ship' | 'to get one order' | 'a revoked key';

/** The context of a check. */
export interface Trial {
  readonly api: OrdersApi;
  readonly key: string;
  readonly revokedKey?: string;
  readonly seed: number;
  /** The number of programs that the model runs; smaller checks run fewer. */
  readonly runs: number;
  /** The number of concurrent programs. */
  readonly concurrency: number;
  /** The needs that the server does not meet, with the reasons. */
  readonly lacking: ReadonlyMap<Need, string>;
  advance(runs: number): void;
}

export interface Check {
  /** The rule, as a sentence that is true for a conforming server. */
  readonly name: string;
  readonly group: 'authentication' | 'errors' | 'list' | 'int64' | 'cancel' | 'ship' | 'model';
  /** The source of the rule: the contract, or a promise of this service beyond the contract. */
  readonly basis: 'contract' | 'promise';
  readonly needs: readonly Need[];
  /** Resolves if the rule holds, or with a program that violates it; or throws a Violation. */
  run(trial: Trial): Promise<Counterexample | undefined>;
}

/** Checks a rule for drawn values; throws the shrunk counterexample in the rule's words. */
export async function forAll<Value>(
  { seed }: Trial,
  values: Arbitrary<Value>,
  numRuns: number,
  rule: (value: Value) => Promise<void>,
): Promise<undefined> {
  const details = await fc.check(fc.asyncProperty(values, rule), { seed, numRuns });
  if (!details.failed) return undefined;
  // Other errors, such as an unreachable server, are rethrown.
  if (!(details.errorInstance instanceof Violation)) throw details.errorInstance;
  const { rule: broken, detail } = brokenBy(details.errorInstance);
  throw new Violation(broken, `${detail} (seed ${seed}, path ${details.counterexamplePath})`);
}

/** Throws unless something holds. */
export function must(holds: boolean, rule: string, detail: string): void {
  if (!holds) throw new Violation(rule, detail);
}
