import fc, { type Arbitrary } from 'fast-check';
import { allEnded } from '../aggregate/closing.ts';
import type { ItfTrace } from '../aggregate/itf.ts';
import { shrinkingFor } from '../aggregate/time-limit.ts';
import type { Counterexample } from '../check.ts';
import type { History } from '../history/history.ts';
import { Violation } from '../target.ts';
import type { Answer } from '../targets/api-client.ts';
import type { OrdersApi } from '../targets/orders-api.ts';
import { SHELL_FUNCTIONS } from '../targets/trace.ts';
import type { Ledger } from './ledger.ts';

/** The needs of a check. A check is skipped if the server or the options do not meet one. */
export type Need =
  | 'to write'
  | 'to place'
  | 'to ship'
  | 'the operations placeOrder and shipOrder'
  | 'to get one order'
  | 'the batches of version 2'
  | 'the list of version 2'
  | 'a revoked key';

/** The needs of checks that place and ship orders by the operations of this service. */
export const SERVICE_WRITES = [
  'to write',
  'to place',
  'to ship',
  'the operations placeOrder and shipOrder',
] as const satisfies readonly Need[];

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
  /** The number of orders that are placed in all. */
  readonly orders: number;
  /** The number of times that something rare is tried. */
  readonly attempts: number;
  /** The pause before everything is compared once more. */
  readonly pauseMs: number;
  /** The time for which a counterexample is shrunk. */
  readonly shrinkMs: number;
  /** True to accept every answer that the contract leaves open. */
  readonly isContractOnly: boolean;
  /** The list before the first order was placed. */
  readonly firstList: Answer;
  /** Orders that were placed first of all, for the rounds of concurrent requests. */
  readonly early: History;
  /** The expected state of every order that was placed. */
  readonly ledger: Ledger;
  /** Placements under Idempotency-Keys, to be repeated after the pause. */
  readonly named: NamedRequest[];
  /** Traces of the executable specification. */
  readonly traces: readonly ItfTrace[];
  /** The needs that the server does not meet, with the reasons. */
  readonly lacking: ReadonlyMap<Need, string>;
  advance(runs: number): void;
  /** Returns the time that is left for all checks. */
  leftMs(): number;
}

/** A placement under an Idempotency-Key, with its first answer. */
export interface NamedRequest {
  readonly key: string;
  readonly petId: bigint;
  readonly answer: Answer;
}

export interface Check {
  /** The rule, as a sentence that is true for a conforming server. */
  readonly name: string;
  readonly group:
    | 'authentication'
    | 'errors'
    | 'list'
    | 'int64'
    | 'cancel'
    | 'ship'
    | 'place'
    | 'model'
    | 'traces'
    | 'concurrency'
    | 'later';
  /**
   * The source of the rule: the contract, or a promise of this service beyond the contract. The
   * tolerant model runs in place of the strict one.
   */
  readonly basis: 'contract' | 'promise' | 'contract in place of a promise';
  readonly needs: readonly Need[];
  /** Resolves if the rule holds, or with a program that violates it; or throws a Violation. */
  run(trial: Trial): Promise<Counterexample | undefined>;
}

/** Thrown if the time of all checks was over before a check had ended. */
export class OutOfTime extends Error {
  override readonly name = 'OutOfTime';

  /** @param unanswered The call for which the check was waiting. */
  constructor(unanswered?: string) {
    super(
      ['the time was over', unanswered && `${unanswered} had no answer`]
        .filter(Boolean)
        .join(', and '),
    );
  }
}

/** Thrown if a check has found nothing that it could try. */
export class NothingToCheck extends Error {
  override readonly name = 'NothingToCheck';
}

/** Returns the items, or throws {@link NothingToCheck} if there are none: a check of none would pass. */
export function some<Item>(items: readonly Item[], reason: string): readonly Item[] {
  if (items.length === 0) throw new NothingToCheck(reason);
  return items;
}

/** Checks a rule for drawn values; throws the shrunk counterexample in the rule's words. */
export async function forAll<Value>(
  { api, seed, shrinkMs, leftMs }: Trial,
  values: Arbitrary<Value>,
  numRuns: number,
  rule: (value: Value) => Promise<void>,
): Promise<undefined> {
  const shrinking = shrinkingFor(shrinkMs);
  let found: unknown;
  const property = fc.asyncProperty(values, async (value) => {
    shrinking.continues();
    api.client.trace.take();
    try {
      await rule(value);
    } catch (error) {
      shrinking.begins();
      found = error instanceof Violation ? withScript(error, api.client.trace.take()) : error;
      throw error;
    }
  });
  const interruptAfterTimeLimit = Math.max(1, leftMs());
  const details = await fc.check(property, { seed, numRuns, interruptAfterTimeLimit });
  // Also if the time was over before the first run had ended, which fast-check takes for a failure.
  if (details.counterexample === null && details.interrupted) throw new OutOfTime();
  if (!details.failed) return undefined;
  // Other errors, such as a defect of the kit, are rethrown.
  if (!(found instanceof Violation)) throw found ?? details.errorInstance;
  const { rule: broken, message, script } = found;
  const at = [`seed ${seed}, path ${details.counterexamplePath}`, shrinking.cut() ?? []].flat();
  throw new Violation(broken, `${message} (${at.join('; ')})`, script);
}

function withScript({ rule, message, script }: Violation, lines: readonly string[]): Violation {
  return new Violation(rule, message, script ?? scriptOf(lines));
}

/** Returns lines as a script that can be pasted into a shell. */
export function scriptOf(lines: readonly string[]): string {
  return `${[...SHELL_FUNCTIONS, ...lines].join('\n')}\n`;
}

/** Throws unless something holds. */
export function must(holds: boolean, rule: string, detail: string, script?: string): void {
  if (!holds) throw new Violation(rule, detail, script);
}

/** Runs tasks for numbers from 0, several at once. After a failure none begins; then it throws. */
export async function several(
  count: number,
  atOnce: number,
  task: (index: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  const work = async () => {
    while (next < count) {
      const index = next++;
      await task(index).catch((error) => {
        next = count;
        throw error;
      });
    }
  };
  await allEnded(Array.from({ length: Math.min(atOnce, count) }, work));
}
