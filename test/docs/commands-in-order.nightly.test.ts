import { afterAll, beforeAll, describe, test } from 'vitest';
import { PAGES_TO_RUN } from './blocks.ts';
import { Reader } from './reader.ts';

describe('The blocks of all pages run in order, in one clone:', () => {
  let reader: Reader;
  beforeAll(async () => {
    reader = await Reader.begin('bash', { quickNpx: true });
  });
  afterAll(() => reader[Symbol.asyncDispose]());

  // The README again at the end, on a store that has orders by then.
  test.each([...PAGES_TO_RUN, 'README.md'])('%s', (page) => {
    return reader.read(page);
  });
});
