import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Histogram } from '../../../src/app/histogram.ts';

it('counts for each bound the values up to it, and at the end all values', () => {
  const numbers = fc.integer({ min: -50, max: 50 });
  const bounds = fc.uniqueArray(numbers, { maxLength: 8 }).map((all) => all.sort((a, b) => a - b));
  fc.assert(
    fc.property(bounds, fc.array(numbers), (bounds, values) => {
      const histogram = new Histogram(bounds);
      for (const value of values) histogram.observe(value);
      expect(histogram.read()).toEqual({
        bounds,
        cumulative: [...bounds, Infinity].map((bound) => values.filter((it) => it <= bound).length),
        sum: values.reduce((sum, value) => sum + value, 0),
      });
    }),
  );
});
