import { afterAll, beforeAll, describe, test } from 'vitest';
import { PAGES_TO_RUN } from './blocks.ts';
import { Reader } from './reader.ts';

describe('all pages one after another, in one clone', () => {
  let reader: Reader;
  beforeAll(async () => {
    reader = await Reader.begin('bash');
  });
  afterAll(() => reader[Symbol.asyncDispose]());

  // The README once more in the end: its store has orders by then.
  test.each([...PAGES_TO_RUN, 'README.md'])('%s', { timeout: 240_000 }, (page) => {
    return reader.read(page);
  });
});
