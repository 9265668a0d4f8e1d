import { describe, test } from 'vitest';
import { PAGES_TO_RUN } from './blocks.ts';
import { Reader } from './reader.ts';

describe('The blocks of each page run alone, in a new clone:', () => {
  test.each(PAGES_TO_RUN)('%s', { timeout: 240_000 }, async (page) => {
    await using reader = await Reader.begin('sh');
    await reader.read(page);
  });
});
