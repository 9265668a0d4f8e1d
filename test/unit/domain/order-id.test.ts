import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  isInt64,
  MAX_INT64,
  MIN_INT64,
  parseInt64,
  parseOrderId,
} from '../../../src/domain/order-id.ts';
import { int64s } from '../../kit/arbitraries.ts';

describe('the text of an id', () => {
  it('is read back as the id that it was written from, over all 64 bits', () => {
    fc.assert(
      fc.property(int64s, (id) => {
        expect(parseOrderId(String(id))).toBe(id);
      }),
    );
  });

  it('is the only text of that id: every parsed text is printed unchanged', () => {
    const lookalikes = fc.stringMatching(/^[-+]?[0-9]{1,22}$/);
    fc.assert(
      fc.property(fc.oneof(lookalikes, fc.string()), (text) => {
        const id = parseInt64(text);
        if (id !== undefined) expect(String(id)).toBe(text);
      }),
      { numRuns: 1_000 },
    );
  });

  it.each(['9223372036854775807', '-9223372036854775808', '9007199254740993', '0', '-1'])(
    'may be %s',
    (text) => {
      expect(parseInt64(text)).toBe(BigInt(text));
    },
  );

  it.each([
    ['one above the highest', '9223372036854775808'],
    ['one below the lowest', '-9223372036854775809'],
    ['far too long', '1'.repeat(100_000)],
    ['nothing', ''],
    ['a sign alone', '-'],
    ['zero with a sign', '-0'],
    ['a plus sign', '+1'],
    ['a leading zero', '01'],
    ['a fraction', '1.0'],
    ['an exponent', '1e3'],
    ['hexadecimal', '0x10'],
    ['a separator', '1_000'],
    ["BigInt's own suffix", '1n'],
    ['a blank before it', ' 1'],
    ['a line break after it', '1\n'],
    ['digits of another script', '١٢٣'],
    ['fullwidth digits', '１２'],
    ['a minus that is not ASCII', '−1'],
    ['a word', 'NaN'],
  ])('may not be %s', (_, text) => {
    expect(parseInt64(text)).toBeUndefined();
  });
});

describe('the range of an id', () => {
  it('is that of 64 bits with a sign', () => {
    expect([MIN_INT64, MAX_INT64]).toStrictEqual([-9223372036854775808n, 9223372036854775807n]);
    expect(BigInt.asIntN(64, MAX_INT64 + 1n)).toBe(MIN_INT64);
  });

  it('holds exactly the numbers that 64 bits leave as they are', () => {
    const around = fc.oneof(
      int64s,
      fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }),
      fc.constantFrom(MIN_INT64 - 1n, MAX_INT64 + 1n),
    );
    fc.assert(
      fc.property(around, (value) => {
        expect(isInt64(value)).toBe(BigInt.asIntN(64, value) === value);
      }),
    );
  });
});
