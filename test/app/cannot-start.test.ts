import { expect, test } from 'vitest';
import { CannotStart } from '../../src/app/cannot-start.ts';

test('why it cannot start is told by name', () => {
  expect(String(new CannotStart('the port is taken'))).toBe('CannotStart: the port is taken');
});
