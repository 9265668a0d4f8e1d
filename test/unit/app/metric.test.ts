import { expect, it } from 'vitest';
import { byLabel, only } from '../../../src/app/metric.ts';

it('a value that cannot be read has no sample', () => {
  expect([only(7), only(0), only(undefined)]).toEqual([
    [{ labels: {}, value: 7 }],
    [{ labels: {}, value: 0 }],
    [],
  ]);
});

it('a count has its key under the label', () => {
  expect(byLabel('code', new Map([['not_found', 2]]))).toEqual([
    { labels: { code: 'not_found' }, value: 2 },
  ]);
  expect(byLabel('code', [])).toEqual([]);
});
