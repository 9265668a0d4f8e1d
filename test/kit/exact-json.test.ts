import fc from 'fast-check';
import { expect, test } from 'vitest';
import { exactJson } from './history/exact-json.ts';

/** A number as a text may have it, and what it is. */
const numbers = fc.oneof(
  fc
    .oneof(
      fc.bigInt({ min: -(10n ** 25n), max: 10n ** 25n }),
      fc.bigInt({ min: 2n ** 53n, max: 2n ** 53n + 99n }),
    )
    .map((value) => ({ text: `${value}`, value })),
  fc.integer().map((value) => ({ text: `${value}.00`, value: BigInt(value) })),
  fc
    .integer({ min: 0, max: 1_000 })
    .map((value) => ({ text: `${value}e2`, value: BigInt(value * 100) })),
  fc.integer({ min: 0, max: 1_000 }).map((value) => ({ text: `${value}.5`, value: value + 0.5 })),
  fc
    .bigInt({ min: 2n ** 53n - 9n, max: 2n ** 53n + 9n })
    .map((value) => ({ text: `${value}.0`, value })),
  fc.constantFrom(
    { text: '-0', value: 0n },
    { text: '-0.0', value: 0n },
    { text: '1e-7', value: 1e-7 },
    { text: '1e25', value: 1e25 },
    { text: '1e400', value: Number.POSITIVE_INFINITY },
    { text: '9'.repeat(400), value: 10n ** 400n - 1n },
    { text: '9007199254740993e0', value: 9007199254740992 },
    { text: '1.00000000000000000001', value: 1n },
  ),
);
const texts = fc
  .oneof(
    fc.string(),
    fc.constantFrom('2026-01-01T00:00:00.000Z', '","a":1.5,"', ' 12345678901234567890'),
    fc.constantFrom(':12345678901234567890,', '[9007199254740993]', '\uE000', '\uE0001', '\\'),
  )
  .chain((value) => {
    const text = JSON.stringify(value);
    const escaped = text.replaceAll('\uE000', '\\uE000');
    return fc.constantFrom({ text, value }, { text: escaped, value });
  });
const names = fc.oneof(
  fc.string(),
  fc.constantFrom('__proto__', '1', 'a:12345678901234567890,', '\uE0001'),
);
const others = fc.constantFrom(true, false, null).map((value) => ({ text: `${value}`, value }));
const space = fc.constantFrom('', ' ', '\n', '\t');

interface Written {
  readonly text: string;
  readonly value: unknown;
}

const { json } = fc.letrec<{ json: Written; list: Written; object: Written }>((tie) => ({
  json: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    numbers,
    texts,
    others,
    tie('list'),
    tie('object'),
  ),
  list: fc.tuple(fc.array(tie('json'), { maxLength: 4 }), space).map(([items, gap]) => ({
    text: `[${items.map(({ text }) => `${gap}${text}${gap}`).join(',')}]`,
    value: items.map(({ value }) => value),
  })),
  object: fc
    .tuple(
      fc.uniqueArray(fc.tuple(names, tie('json')), {
        selector: ([name]) => name,
        maxLength: 4,
      }),
      space,
    )
    .map(([members, gap]) => ({
      text: `{${members.map(([name, { text }]) => `${JSON.stringify(name)}${gap}:${gap}${text}`).join(',')}}`,
      value: Object.fromEntries(members.map(([name, { value }]) => [name, value])),
    })),
}));

test('No number of a JSON text is rounded, wherever it is and however it is written', () => {
  fc.assert(
    fc.property(json, ({ text, value }) => {
      expect(exactJson(text)).toStrictEqual(value);
    }),
    { numRuns: 2_000 },
  );
});

test.each(['', '{', '01', '1n', '[1,]', 'NaN'])('%j is not JSON', (text) => {
  expect(exactJson(text)).toBeUndefined();
});
