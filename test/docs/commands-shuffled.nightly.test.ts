import { afterAll, beforeAll, describe, test } from 'vitest';
import { seedFrom } from '../support/nightly.ts';
import { Random } from '../support/random.ts';
import { PAGES_TO_RUN } from './blocks.ts';
import { Reader } from './reader.ts';
import { isInstalled } from './terminal.ts';

const seed = seedFrom('DOCS_SEED');
const shell = isInstalled('zsh') ? 'zsh' : 'sh';

function shuffled(pages: readonly string[]): readonly string[] {
  const random = new Random(seed);
  const left = [...pages];
  return pages.map(() => left.splice(random.below(left.length), 1)[0] as string);
}

describe(`The blocks of all pages run in one ${shell}, in the order of DOCS_SEED=${seed}:`, () => {
  let reader: Reader;
  beforeAll(async () => {
    reader = await Reader.begin(shell, { oneTerminal: true, quickNpx: true });
  });
  afterAll(() => reader[Symbol.asyncDispose]());

  test.each(shuffled(PAGES_TO_RUN))('%s', (page) => reader.read(page));
});
