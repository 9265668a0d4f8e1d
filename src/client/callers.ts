/** The functions of the caller, such as hooks: what they throw ends a call, a {@link StoreOrdersError} too. */
import { StoreOrdersError } from './error.ts';

const thrown = new WeakSet<object>();

/** Marks what a function of the caller has thrown, and returns it. */
export function markThrown(error: unknown): unknown {
  thrown.add(Object(error));
  return error;
}

/** Calls a function of the caller, and marks what it throws. */
export function callHook<Info>(hook: ((info: Info) => void) | undefined, info: Info): void {
  try {
    hook?.(info);
  } catch (error) {
    throw markThrown(error);
  }
}

/** Returns whether an error is the failure of a request, and not of a function of the caller. */
export function isFailure(error: unknown): error is StoreOrdersError {
  return error instanceof StoreOrdersError && !thrown.has(error);
}
