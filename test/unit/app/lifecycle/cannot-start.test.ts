import { expect, test } from 'vitest';
import { asCannotStart, CannotStart } from '../../../../src/app/lifecycle/cannot-start.ts';

test('the error has a name of its own', () => {
  expect(String(new CannotStart('the port is taken'))).toBe('CannotStart: the port is taken');
});

const words = ({ message }: Error) => `It cannot be opened: ${message}.`;

test('a CannotStart is returned unchanged, even as the cause of another error', () => {
  const reason = new CannotStart('no');
  expect(asCannotStart(reason, words)).toBe(reason);
  expect(asCannotStart(new Error('failed', { cause: reason }), words)).toBe(reason);
});

test('any other error becomes one, with its cause', () => {
  const cause = new Error('EACCES');
  const reason = asCannotStart(cause, words);
  expect(reason).toBeInstanceOf(CannotStart);
  expect(reason).toMatchObject({ message: 'It cannot be opened: EACCES.', cause });
});
