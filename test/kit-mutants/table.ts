import { concurrency } from '../kit/conformance/concurrency.ts';
import type { Killed } from './kill.ts';

/** The page that shows which property has killed which mutant, and the head of its table. */
export const PAGE = 'docs/testing-kit.md';
export const HEAD = 'mutant | on the application | over HTTP';

/** Requests that race each other do not come in the same order twice. */
const RACES: readonly string[] = concurrency.map(({ name }) => name);

/** A row for each mutant: what has found it out, by each of the two ways. */
export function rowsOf(killed: readonly Killed[]): readonly (readonly string[])[] {
  return killed.map(({ name, onTheApp = '–', overHttp = '–' }) => {
    return [name, onTheApp, RACES.includes(overHttp) ? 'a check of requests at once' : overHttp];
  });
}

/** Returns a page with other rows in the table with this head. */
export function withTable(
  page: string,
  head: string,
  rows: readonly (readonly string[])[],
): string {
  const lines = rows.map((cells) => `| ${cells.join(' | ')} |\n`).join('');
  const table = new RegExp(`(\\| ${head.replaceAll('|', '\\|')} \\|\n\\|[-|]+\\|\n)(?:\\|.*\n)*`);
  return page.replace(table, (_, start) => start + lines);
}
