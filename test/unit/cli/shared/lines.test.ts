import { writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { readStrictLines } from '../../../../src/cli/shared/lines.ts';
import { temporaryFile } from '../../../support/folder.ts';

it.each([
  ['\ufeff{}\n', 'a line begins with a byte order mark'],
  ['{}\n\ufeff{}\n', 'a line begins with a byte order mark'],
  ['{}\r\n', 'a line ends with a carriage return'],
  ['{}\n\n', 'there is an empty line'],
  ['{}', 'the last line is cut off: nothing ends it'],
])('The lines of an export have one form: %j', async (text, reason) => {
  const file = temporaryFile();
  writeFileSync(file, text);
  await using input = await open(file);
  const problems = (await Array.fromAsync(readStrictLines(input))).map(({ problem }) => problem);
  expect(problems.at(-1)).toBe(reason);
});
