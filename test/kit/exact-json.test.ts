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
  fc.constantFrom({ text: '-0', value: 0n }, { text: '1e-7', value: 1e-7 }),
);
const texts = fc
  .oneof(
    fc.string(),
    fc.constantFrom('2026-01-01T00:00:00.000Z', '","a":1.5,"', ' 12345678901234567890'),
  )
  .map((value) => ({ text: JSON.stringify(value), value }));
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
      fc.uniqueArray(fc.tuple(fc.string(), tie('json')), {
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
