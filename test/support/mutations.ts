import fc from 'fast-check';

/** Draws variants of a text with one change, and occasionally the unchanged text. */
export function mutations(text: string): fc.Arbitrary<string> {
  const at = fc.nat({ max: text.length });
  const pieces = fc.oneof(
    fc.constantFrom(...'{}[]",:\\0123456789-+.eE tTzZ\n\t\u0000\u001f\u007f٣é\u2028'),
    fc.constantFrom('"x":1,', ',"x":1', '"orderId":"2",', '\\u0031', '\\n', 'null', '1e0', '-0'),
    fc.constantFrom('9223372036854775808', '-9223372036854775809', '2147483648', '"1"', '1.0'),
  );
  return fc.oneof(
    { weight: 1, arbitrary: fc.constant(text) },
    { weight: 6, arbitrary: fc.tuple(at, pieces).map(([i, piece]) => insert(text, i, i, piece)) },
    {
      weight: 6,
      arbitrary: fc
        .tuple(at, fc.nat({ max: 3 }), pieces)
        .map(([i, count, piece]) => insert(text, i, i + count, piece)),
    },
    {
      weight: 3,
      arbitrary: fc.tuple(at, fc.nat({ max: 20 })).map(([i, count]) => insert(text, i, i + count)),
    },
    { weight: 3, arbitrary: valueMutations(text) },
  );
}

// Another value for one of the members, so that only the value is wrong, not the shape.
function valueMutations(text: string): fc.Arbitrary<string> {
  const values = [...text.matchAll(/(?<=":)(?:"(?:[^"\\]|\\.)*"|\d+)/g)];
  const others = fc.constantFrom(
    ...['"0"', '"-0"', '"01"', '""', '"9223372036854775807"', '"9223372036854775808"', '"-"'],
    ...['0', '1', '-1', '1.0', '1e3', '2147483647', '2147483648', '9999999999', 'null', 'true'],
    ...['"2024-02-29T00:00:00.000Z"', '"2023-02-29T00:00:00.000Z"', '"2024-02-28T24:00:00.000Z"'],
    ...[
      '"2024-02-28T23:59:60.000Z"',
      '"2024-02-28T00:00:00+00:00"',
      '"x"',
      '"\u0001"',
      '"\\u0001"',
    ],
  );
  return fc.tuple(fc.constantFrom(...values), others).map(([value, other]) => {
    return insert(text, value.index, value.index + value[0].length, other);
  });
}

function insert(text: string, from: number, to: number, piece = ''): string {
  return text.slice(0, from) + piece + text.slice(to);
}
