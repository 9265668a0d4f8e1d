import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { readExactly } from '../../../src/client/exact-json.ts';
import { anyText } from '../../support/any-text.ts';
import { runs } from '../../support/nightly.ts';

describe('readExactly', () => {
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
    expect(readExactly(text)).toStrictEqual(value);
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
    expect(() => readExactly(text)).toThrow(SyntaxError);
  });
});

/** Returns the value of a JSON text by the sources of its numbers, which not every engine passes on. */
function readBySource(text: string): unknown {
  const parse = JSON.parse as (
    text: string,
    reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
  ) => unknown;
  return parse(text, (_key, value, { source = '' }) => {
    const isRounded = /^-?\d+$/.test(source) && !Number.isSafeInteger(Number(source));
    return typeof value === 'number' && isRounded ? source : value;
  });
}

test('Any JSON, in any layout, is read as by the sources of its numbers', () => {
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
      expect(readExactly(text)).toStrictEqual(readBySource(text));
    }),
    { numRuns: runs(1_000) },
  );
});
