import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { readBySource, readByText, readExactly } from '../../../src/client/exact-json.ts';
import { anyText } from '../../support/any-text.ts';
import { runs } from '../../support/nightly.ts';

const READERS = { readExactly, readBySource, readByText };

describe.each(Object.entries(READERS))('%s', (_, read) => {
  it.each([
    ['9007199254740991', 9007199254740991],
    ['9007199254740992', '9007199254740992'],
    ['-9223372036854775808', '-9223372036854775808'],
    [
      '{"id":9223372036854775807,"ids":[1,9007199254740993]}',
      {
        id: '9223372036854775807',
        ids: [1, '9007199254740993'],
      },
    ],
    ['"9007199254740993 \\" 9007199254740993"', '9007199254740993 " 9007199254740993'],
    ['{"9007199254740993":"\\\\"}', { '9007199254740993': '\\' }],
    ['[1e21,1234567890123456.5,-0]', [1e21, 1234567890123456.5, -0]],
  ])('reads %s', (text, value) => {
    expect(read(text)).toStrictEqual(value);
  });

  it.each([
    '',
    '{"a":12345678901234567890',
    '012345678901234567890',
    '{12345678901234567890:1}',
    '[12345678901234567890 "a"]',
    '-',
    '12345678901234567890x',
  ])('refuses %j', (text) => {
    expect(() => read(text)).toThrow(SyntaxError);
  });
});

test('All readers agree on any JSON, in any layout', () => {
  const numbers = fc.oneof(
    fc.bigInt().map(String),
    fc.double().map((n) => JSON.stringify(n)),
  );
  const strings = anyText().map((text) => JSON.stringify(text));
  const { tree } = fc.letrec<{ tree: string; leaf: string }>((tie) => ({
    tree: fc.oneof(
      { depthSize: 'small' },
      tie('leaf'),
      fc.array(tie('tree')).map((items) => `[${items.join(' , ')}]`),
      fc.array(fc.tuple(strings, tie('tree'))).map((members) => {
        return `{\n${members.map(([name, value]) => `${name} : ${value}`).join(',')}}`;
      }),
    ),
    leaf: fc.oneof(numbers, strings, fc.constantFrom('true', 'false', 'null')),
  }));
  fc.assert(
    fc.property(tree, (text) => {
      const exact = readBySource(text);
      expect(readByText(text)).toStrictEqual(exact);
      expect(readExactly(text)).toStrictEqual(exact);
    }),
    { numRuns: runs(1_000) },
  );
});
