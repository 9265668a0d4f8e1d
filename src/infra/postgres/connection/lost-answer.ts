/**
 * Changes whose answer from the server is lost: each is searched for over another connection. The
 * search for appends, which no command waits for, is in append-result.ts.
 */

import { setTimeout } from 'node:timers/promises';
import { CLOCKS } from '../../../app/clock.ts';
import { UserError } from '../../../app/lifecycle/user-error.ts';
import { StoreUnavailable } from '../../../app/ports/store.ts';

/** The limit of a search, in milliseconds: a database that restarts is back by then. */
const SEARCH_MS = 5_000;
/** The interval between attempts, in milliseconds. */
const RETRY_INTERVAL_MS = 100;

/** Thrown if a statement was sent and not answered. It may have been carried out, or may still be. */
export class Unanswered extends StoreUnavailable {}

/**
 * Makes a change. If its answer is lost, searches for the change. Throws {@link UserError} if it is not
 * found: the outcome is unknown then.
 * @param place The name of the database.
 * @param clause The change, such as "the key was added".
 * @param change Throws {@link Unanswered} if the answer is lost.
 * @param isMade Returns true if the change is found; or makes it again, if that leads to the same.
 * @returns The answer; `undefined` if it was lost, and the change is found.
 */
export async function orFound<Answer>(
  place: string,
  clause: string,
  change: () => Promise<Answer>,
  isMade: () => Promise<boolean>,
): Promise<Answer | undefined> {
  try {
    return await change();
  } catch (error) {
    if (!(error instanceof Unanswered)) throw error;
    if (await search(isMade)) return undefined;
    const lost = `the answer of ${place} was lost (${error.message})`;
    throw new UserError(`Whether ${clause} is not known: ${lost}. Run it again.`, { cause: error });
  }
}

async function search(isMade: () => Promise<boolean>): Promise<boolean> {
  const began = CLOCKS.elapsed();
  do {
    // The database may be out of reach for a while.
    if (await isMade().catch(() => false)) return true;
    await setTimeout(RETRY_INTERVAL_MS);
  } while (CLOCKS.elapsed() - began < SEARCH_MS);
  return false;
}
