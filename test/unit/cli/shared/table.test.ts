import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { printTable } from '../../../../src/cli/shared/table.ts';

type Rows = readonly (readonly string[])[];

async function printed(columns: number | undefined, parts: Rows | AsyncIterable<Rows>) {
  const output = Object.assign(
    new PassThrough(),
    columns === undefined ? {} : { isTTY: true, columns },
  );
  await printTable(output, ['id', 'note'], parts, ['note']);
  // Without the escape sequences of the head.
  return stripVTControlCharacters(String(output.read()));
}

async function* inParts(...parts: readonly Rows[]) {
  yield* parts;
}

test.each([undefined, 80])(
  'if there are no rows but an error, nothing is printed',
  async (columns) => {
    const failing = {
      [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error('refused')) }),
    };
    const output = Object.assign(new PassThrough(), columns && { isTTY: true, columns });
    await expect(printTable(output, ['id'], failing)).rejects.toThrow('refused');
    expect(output.read()).toBeNull();
  },
);

test('the head is printed once, above all parts', async () => {
  const parts = inParts([['1', 'one']], [], [['2', 'two']]);
  expect(await printed(undefined, parts)).toBe('id\tnote\n1\tone\n2\ttwo\n');
  expect(await printed(undefined, inParts([]))).toBe('id\tnote\n');
});

test('elsewhere than on a terminal, tabs separate the columns, in lines of any length', async () => {
  const long = 'x'.repeat(200);
  expect(await printed(undefined, [['1', long]])).toBe(`id\tnote\n1\t${long}\n`);
  expect(await printed(undefined, [])).toBe('id\tnote\n');
});

test('on a terminal the columns are aligned', async () => {
  expect(
    await printed(80, [
      ['1', 'one'],
      ['1000', 'two'],
    ]),
  ).toBe('id    note\n1     one\n1000  two\n');
  expect(await printed(80, [])).toBe('id  note\n');
});

test('a cell that does not fit is broken, and all of it is there', async () => {
  expect(await printed(14, [['12', 'abcdefghijklmnop']])).toBe(
    'id  note\n12  abcdefghij\n    klmnop\n',
  );
});

test.each([
  ['a time, behind its date', 14, '2026-11-30T10:00:00.000Z', ['2026-11-30T', '10:00:00.000Z']],
  ['a code, behind an underscore', 12, 'duplicate_order', ['duplicate_', 'order']],
  ['a path, behind a slash', 13, '/v2/store/orders', ['/v2/store/', 'orders']],
  ['a sentence, between words', 12, 'is cancelled already', ['is cancelled', 'already']],
  [
    'a sentence whose words are as wide as a line',
    8,
    'received requests',
    ['received', 'requests'],
  ],
  ['a word wider than a line, within it', 8, 'no abcdefghij', ['no abcde', 'fghij']],
])('a cell is broken between words: %s', async (_, width, note, lines) => {
  const [first = '', ...others] = lines;
  expect(await printed(4 + width, [['1', note]])).toBe(
    `id  note\n1   ${first}\n${others.map((line) => `    ${line}\n`).join('')}`,
  );
});

test('a column that may not be broken is whole on any terminal', async () => {
  const id = '9223372036854775807';
  expect(await printed(10, [[id, 'x']])).toContain(`${id}  x\n`);
});

test('characters of double width are counted as such', async () => {
  expect(await printed(14, [['1', '注文注文注文注文']])).toBe(
    'id  note\n1   注文注文注\n    文注文\n',
  );
});

test.each([
  ['a letter and its mark, as macOS writes it', 'e\u0301', 1],
  ['two marks on one letter', 'a\u0323\u0302', 1],
  ['a vowel sign of its own column', '\u0915\u093e', 2],
  ['a vowel sign below its letter', '\u0915\u0941', 1],
  ['a syllable in its parts', '\u1112\u1161\u11ab', 2],
  ['a flag', '🇩🇪', 2],
  ['an emoji with a skin tone', '👍🏽', 2],
  ['a sign shown as an emoji', '❤\ufe0f', 2],
  ['a mark without a letter', '\u0301', 0],
])('%s is measured and broken as one', async (_, character, width) => {
  expect(await printed(80, [[character, 'x']])).toBe(
    `id  note\n${character}${' '.repeat(4 - width)}x\n`,
  );
  // The note has eight columns, and the character takes the last of them.
  const filling = 'x'.repeat(8 - width);
  expect(await printed(12, [['1', `${filling}${character}yyy`]])).toBe(
    `id  note\n1   ${filling}${character}\n    yyy\n`,
  );
});

test('a table in parts has one head, and columns that stay aligned', async () => {
  const parts = inParts([['1000', 'one']], [], [['2', 'two']], [['30000', 'three']]);
  expect(await printed(80, parts)).toBe('id    note\n1000  one\n2     two\n30000  three\n');
  expect(await printed(undefined, inParts([['1', 'one']], [['2', 'two']]))).toBe(
    'id\tnote\n1\tone\n2\ttwo\n',
  );
});
