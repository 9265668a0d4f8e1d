import { describe, test } from 'vitest';
import { isNightly } from '../support/nightly.ts';
import { PAGES_TO_RUN } from './blocks.ts';
import { Reader } from './reader.ts';

/** Their commands search for many seconds. Parts of them run by day in test/kit and test/e2e/cli. */
const SEARCHING = ['docs/specification.md', 'docs/testing-kit.md'];
const isQuick = (page: string) => !SEARCHING.includes(page);

describe('The blocks of each page run alone, in a new clone:', () => {
  test.each(isNightly ? PAGES_TO_RUN : PAGES_TO_RUN.filter(isQuick))('%s', async (page) => {
    // npm's own npx on one page: it takes several times as long to start as the program.
    await using reader = await Reader.begin('sh', { quickNpx: page !== 'README.md' });
    await reader.read(page);
  });
});
