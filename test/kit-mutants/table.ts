import type { Killed } from './kill.ts';

/** The page that shows which property has killed which mutant, and the head of its table. */
export const PAGE = 'docs/testing-kit.md';
export const HEAD = 'mutant | on the application | over HTTP';

/** So many checks are named; of those that fail besides, the number. */
const NAMED_TESTS = 2;

/** Requests that race each other do not come in the same order twice. */
const RACES = 'of a shipment and cancellations at once, one kind wins';

/** A row for each mutant: what has found it out, by each of the two ways. */
export function rowsOf(killed: readonly Killed[]): readonly (readonly string[])[] {
  return killed.map(({ name, onTheApp, overHttp }) => {
    const steady = overHttp.filter((check) => check !== RACES);
    const more = steady.length - NAMED_TESTS;
    const named = steady.slice(0, NAMED_TESTS).join('; ');
    return [name, onTheApp ?? '–', more > 0 ? `${named}; and ${more} more` : named || '–'];
  });
}
