import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { layOutJson } from '../../../../src/http/site/browser/exact-json.ts';

const anyJson = fc.jsonValue({ maxDepth: 4 });
const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });

describe('JSON is laid out', () => {
  it('as JSON.stringify lays it out, whatever it is and however it was written', () => {
    fc.assert(
      fc.property(anyJson, fc.constantFrom(0, 1, 4), (value, indent) => {
        const expected = JSON.stringify(value, null, 2);
        expect(layOutJson(JSON.stringify(value, null, indent))).toBe(expected);
      }),
    );
  });

  it('with every digit of every integer', () => {
    fc.assert(
      fc.property(int64, int64, (id, petId) => {
        const text = `[{"id":${id},"petId":${petId}}]`;
        expect(layOutJson(text)).toBe(`[\n  {\n    "id": ${id},\n    "petId": ${petId}\n  }\n]`);
      }),
    );
  });

  it.each(['', 'no JSON', '{"a":', '[1,]'])('and what is none is left as it is: %s', (text) => {
    expect(layOutJson(text)).toBe(text);
  });
});
