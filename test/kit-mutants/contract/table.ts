import { isNightly } from '../../support/nightly.ts';
import { conform, failedIn } from './conform.ts';
import type { Fault } from './faulty.ts';

/** The page that shows which checks find out which fault. */
export const PAGE = 'docs/faults.md';
/** The head of its table of servers that break the contract. */
export const HEAD = 'fault | found by | seeds';
/** The head of its table of servers that break a promise of this service. */
export const PROMISE_HEAD = 'broken promise | found by | seeds';

/** The number of servers that are checked at once: most of the time a check only waits. */
export const AT_ONCE = 8;
/** The pause before everything is compared once more, in seconds: longer than any fault waits. */
export const PAUSE_SECONDS = 4;

/** Resolves with the first check that a server with a fault fails. */
export async function firstFailure(
  fault: Fault,
  seed: number,
  contractOnly: boolean,
): Promise<string | undefined> {
  const { orders = 0 } = fault;
  // By day nothing is shrunk: the name of the check stays the same.
  const shrinking = isNightly ? {} : { shrinkTime: 0 };
  const options = { ...shrinking, seed, contractOnly, orders, pause: PAUSE_SECONDS, bail: true };
  return failedIn(await conform(fault, options))[0];
}

/**
 * Resolves with the row of a fault: the checks that find it out, and how many seeds do. The even
 * seeds run with `--contract-only`, unless the fault breaks a promise only.
 */
export async function rowOf(
  fault: Fault,
  seeds: number,
  isPromise: boolean,
): Promise<readonly string[]> {
  const failures: string[] = [];
  for (let seed = 1; seed <= seeds; seed++) {
    const failure = await firstFailure(fault, seed, !isPromise && seed % 2 === 0);
    if (failure !== undefined) failures.push(failure);
  }
  return [fault.name, [...new Set(failures)].join('; '), `${failures.length} of ${seeds}`];
}
