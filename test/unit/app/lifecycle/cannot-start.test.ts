import { expect, test } from 'vitest';
import { asUserError, UserError } from '../../../../src/app/lifecycle/user-error.ts';

test('the error has a name of its own', () => {
  expect(String(new UserError('the port is taken'))).toBe('UserError: the port is taken');
});

const words = ({ message }: Error) => `It cannot be opened: ${message}.`;

test('a UserError is returned unchanged, even as the cause of another error', () => {
  const reason = new UserError('no');
  expect(asUserError(reason, words)).toBe(reason);
  expect(asUserError(new Error('failed', { cause: reason }), words)).toBe(reason);
});

test('any other error becomes one, with its cause', () => {
  const cause = new Error('EACCES');
  const reason = asUserError(cause, words);
  expect(reason).toBeInstanceOf(UserError);
  expect(reason).toMatchObject({ message: 'It cannot be opened: EACCES.', cause });
});
