import { expect, test } from 'vitest';
import { EVENT_TYPES } from '../../../../src/app/log/recorded-event.ts';
import { cancelled, placed, shipped } from '../../../support/events.ts';

test('the types of events are those of the domain', () => {
  expect(EVENT_TYPES).toStrictEqual(
    [placed(1n), shipped(1n), cancelled(1n)].map(({ type }) => type),
  );
});
