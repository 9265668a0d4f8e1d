import { expect, it } from 'vitest';
import { only } from '../../../src/app/metric.ts';

it('a value that cannot be read has no sample', () => {
  expect([only(7), only(0), only(undefined)]).toEqual([
    [{ labels: {}, value: 7 }],
    [{ labels: {}, value: 0 }],
    [],
  ]);
});
