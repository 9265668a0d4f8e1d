import { describe, test } from 'vitest';
import { PAGES_TO_RUN } from './blocks.ts';
import { Reader } from './reader.ts';

describe('The blocks of each page run alone, in a new clone:', () => {
  test.each(PAGES_TO_RUN)('%s', async (page) => {
    // npm's own npx on one page: it takes several times as long to start as the program.
    await using reader = await Reader.begin('sh', { quickNpx: page !== 'README.md' });
    await reader.read(page);
  });
});
