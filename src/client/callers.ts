/** The functions of the caller, such as hooks: what they throw ends a call, a {@link StoreOrdersError} too. */
import { StoreOrdersError } from './error.ts';

const thrown = new WeakSet<object>();

/** Calls a function of the caller, waits for its promise if it returns one, and marks what it throws. */
export async function called<Result>(call: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    thrown.add(Object(error));
    throw error;
  }
}

/** Returns whether an error is the failure of a request, and not of a function of the caller. */
export function isFailure(error: unknown): error is StoreOrdersError {
  return error instanceof StoreOrdersError && !thrown.has(error);
}
