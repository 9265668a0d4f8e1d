/** The failures of calls of the client. */
import { expect } from 'vitest';
import { StoreOrdersError } from '../../src/client/client.ts';

/** Returns the error with which a call rejects. */
export async function failureOf(call: Promise<unknown>): Promise<StoreOrdersError> {
  const failure = await call.then(
    () => expect.fail('it succeeded'),
    (error) => error,
  );
  expect(failure).toBeInstanceOf(StoreOrdersError);
  return failure;
}
