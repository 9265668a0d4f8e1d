import { describe, expect, test } from 'vitest';
import { isNightly } from '../support/nightly.ts';
import { PAGES_TO_RUN } from './blocks.ts';
import { Reader } from './reader.ts';

/**
 * The pages whose blocks run by day: of those that are quick to run, one for each kind of block. All pages
 * run at night, alone, in order and in another order.
 */
const BY_DAY: readonly string[] = [
  // With `npm start` and npm's own npx.
  'README.md',
  // A program with an own package.
  'docs/client.md',
  // Answers of the service, and its end.
  'docs/operations.md',
  'docs/history.md',
  // Scripts that a page writes, and the verifier in the package.
  'docs/receipts.md',
  'docs/exports.md',
  // Programs in other languages.
  'docs/examples.md',
  // The command line, most of all.
  'docs/operations/keys.md',
  // Commands to the service, and what it measures and logs of them.
  'docs/operations/metrics.md',
  'docs/observability/traces.md',
  // SQL, in a database of PostgreSQL.
  'docs/postgresql.md',
];

describe('The blocks of each page run alone, in a new clone:', () => {
  test.each(isNightly ? PAGES_TO_RUN : BY_DAY)('%s', async (page) => {
    // npm's own npx on one page: it takes several times as long to start as the program.
    await using reader = await Reader.begin('sh', { quickNpx: page !== 'README.md' });
    await reader.read(page);
  });

  test('Each page of those by day has blocks to run', () => {
    expect(BY_DAY.filter((page) => !PAGES_TO_RUN.includes(page))).toEqual([]);
  });
});
