import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { V1 } from '../../../../src/http/operations/v1.ts';
import { V2 } from '../../../../src/http/operations/v2.ts';
import { shownNames, shownPath, shownSyntaxError } from '../../../../src/http/requests/shown.ts';

describe('the path of a request, as it is shown,', () => {
  it('is itself for every address that the service has', () => {
    const ids = ['1', '-9223372036854775808', '9223372036854775807'];
    for (const { path } of [...V1, ...V2]) {
      for (const id of ids) {
        const target = `/v2${path.replace(/(?<=\/):\w+/, id)}`;
        expect(shownPath(target)).toBe(target);
        expect(shownPath(`${target}?after=sto_x`)).toBe(target);
      }
    }
    for (const target of ['/', '/docs/exact-json.js', '/openapi/v1.json', '/v1/', '*']) {
      expect(shownPath(target)).toBe(target);
    }
  });

  test.each([
    ['/v1/store/orders/%zz', '/v1/store/orders/…'],
    ['/v1/store/orders/abcdefghijklmnop/receipt', '/v1/store/orders/…/receipt'],
    ['/v1/store/orders/12345678901234567890', '/v1/store/orders/…'],
    ['/a-b.c/%61/ü/a_b/#x', '/a-b.c/…/…/…/…'],
    ['/1/2/3/4/5/6/7/8/9', '/1/2/3/4/5/6/7/8/…'],
    ['http://user:key@host/v1/store/orders?x', '/v1/store/orders'],
    ['http://host', '/'],
    ['host:443', '…'],
    ['', '/'],
  ])('hides segments that are not plain: %s', (target, shown) => {
    expect(shownPath(target)).toBe(shown);
  });

  it('never repeats 16 characters in a row of a segment, and is bounded', () => {
    fc.assert(
      fc.property(fc.webPath(), fc.string({ minLength: 16, unit: 'grapheme' }), (path, text) => {
        const shown = shownPath(`${path}/${text.replaceAll('/', '')}`);
        expect(shown.length).toBeLessThanOrEqual(8 * 25 + 2);
        for (const run of shown.match(/\w{16,}/g) ?? []) expect(run).toMatch(/^\d{1,19}$/);
      }),
    );
  });
});

describe('a name that a client has made up, as it is shown,', () => {
  test.each([
    [['complete'], '"complete": wrong'],
    [['__proto__', ''], '"__proto__": wrong; "": wrong'],
    [['shippingDateTime'], '"shippingDate…": wrong'],
    [['k'.repeat(40)], '"…": wrong'],
    [
      ['a', 'b', 'c', 'd', 'e', 'f', 'g'],
      '"a": wrong; "b": wrong; "c": wrong; "d": wrong; "e": wrong; 2 more: wrong',
    ],
  ])('is short: %j', (names, shown) => {
    expect(shownNames(names, 'wrong')).toBe(shown);
  });
});

test('a syntax error is reported without the text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 80 }), (text) => {
      try {
        JSON.parse(text);
      } catch (error) {
        const { message } = error as Error;
        const shown = shownSyntaxError(message);
        // One character that was not expected is all that is repeated.
        expect(shown.replace(/token '.{1,2}'/su, '')).toMatch(/^[\w\s(){}[\]',:-]*$/);
      }
    }),
    { numRuns: 2_000 },
  );
  for (const text of ['undefined', '"a"b', '"', `{"${'k'.repeat(60)}": tru}`]) {
    const { message } = (() => {
      try {
        return JSON.parse(text);
      } catch (error) {
        return error as Error;
      }
    })();
    expect(shownSyntaxError(message)).not.toMatch(/undefined|kkkk|\.\.\./);
  }
});
