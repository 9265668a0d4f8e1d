import { expect, test } from 'vitest';
import { StoreOrdersError } from '../../../src/client/client.ts';

test('An error has the members that are known, and no others', () => {
  const unknown = { status: undefined, requestId: undefined, cause: undefined };
  const bare = new StoreOrdersError('network', 'm', unknown);
  expect(Object.getOwnPropertyNames(bare).sort()).toStrictEqual(
    ['attempts', 'code', 'message', 'name', 'stack'].sort(),
  );
  expect(bare.attempts).toBe(0);
  const details = {
    status: 503,
    requestId: 'r',
    retryAfterMs: 1_000,
    attempts: 2,
    idempotencyKey: 'k',
    results: [],
  };
  const cause = new Error('c');
  const full = new StoreOrdersError('network', 'm', { ...details, cause });
  expect({ ...full }).toStrictEqual({ name: 'StoreOrdersError', code: 'network', ...details });
  expect(full.cause).toBe(cause);
});

test('An error as JSON has its message', () => {
  const error = new StoreOrdersError('timeout', 'm', { attempts: 2, cause: new Error('c') });
  expect(JSON.parse(JSON.stringify({ error }))).toStrictEqual({
    error: { name: 'StoreOrdersError', code: 'timeout', message: 'm', attempts: 2 },
  });
});
