import { expect, test } from 'vitest';
import { changedLimits, type LimitChange } from '../../../../src/app/keys/limit-change.ts';
import type { KeyLimits } from '../../../../src/app/ports/key-store.ts';

const RATE = { requests: 10, seconds: 60, burst: 30 };
const OTHERS = { concurrent: 2, streams: 4 };
const NEW_RATE = { requests: 20, seconds: 1 };

test.each<[string, KeyLimits, LimitChange, KeyLimits | undefined]>([
  ['nothing leaves no limits', {}, {}, {}],
  ['nothing leaves all limits', { rate: RATE, ...OTHERS }, {}, { rate: RATE, ...OTHERS }],
  [
    'a first rate has its requests as burst',
    {},
    { rate: NEW_RATE },
    { rate: { ...NEW_RATE, burst: 20 } },
  ],
  ['a rate with a burst', {}, { rate: NEW_RATE, burst: 7 }, { rate: { ...NEW_RATE, burst: 7 } }],
  [
    'a rate without the burst',
    {},
    { rate: NEW_RATE, burst: 'none' },
    { rate: { ...NEW_RATE, burst: 20 } },
  ],
  [
    'a new rate drops the burst before',
    { rate: RATE },
    { rate: NEW_RATE },
    { rate: { ...NEW_RATE, burst: 20 } },
  ],
  ['a burst of the rate there is', { rate: RATE }, { burst: 5 }, { rate: { ...RATE, burst: 5 } }],
  ['no burst', { rate: RATE }, { burst: 'none' }, { rate: { ...RATE, burst: 10 } }],
  [
    'another limit leaves the burst',
    { rate: RATE },
    { concurrent: 3 },
    { rate: RATE, concurrent: 3 },
  ],
  ['no rate leaves the others', { rate: RATE, ...OTHERS }, { rate: 'none' }, OTHERS],
  ['neither rate nor burst', { rate: RATE, ...OTHERS }, { rate: 'none', burst: 'none' }, OTHERS],
  ['no burst where there is no rate', OTHERS, { burst: 'none' }, OTHERS],
  ['limits of another kind', {}, OTHERS, OTHERS],
  ['one of them is taken away', OTHERS, { streams: 'none' }, { concurrent: 2 }],
  ['both of them are', OTHERS, { concurrent: 'none', streams: 'none' }, {}],
  ['a burst without a rate is none', OTHERS, { burst: 5 }, undefined],
  [
    'a burst of a rate that is taken away is none',
    { rate: RATE },
    { rate: 'none', burst: 5 },
    undefined,
  ],
])('a change of limits: %s', (_, limits, change, changed) => {
  expect(changedLimits(limits, change)).toStrictEqual(changed);
});
