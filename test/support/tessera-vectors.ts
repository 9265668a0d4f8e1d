import { readFileSync } from 'node:fs';

/**
 * The log in the tests of github.com/transparency-dev/tessera: its key, its leaves, and the signed
 * checkpoint of every size. The key is published, including its private half.
 */
export const PRIVATE_KEY =
  'PRIVATE+KEY+example.com/log/testdata+33d7b496+AeymY/SZAX0jZcJ8enZ5FY1Dz+wTML2yWSkK+9DSF3eg';
export const VKEY =
  'example.com/log/testdata+33d7b496+AeHTu4Q3hEIMHNqc6fASMsq3rKNx280NI+oO5xCFkkSx';

const WORDS = 'one two three four five six seven eit nain ten ileven twelf threeten fourten fivten';
export const LEAVES = WORDS.split(' ');

/** The checkpoints of 0, 1, 2 … leaves. */
export const CHECKPOINTS: readonly string[] = readFileSync(
  'test/fixtures/audit/tessera-checkpoints.txt',
  'utf8',
).split(/(?<=\n)(?=example\.com)/);
