/**
 * Thrown if the service or a command cannot start, for a reason that its user can remedy. The
 * message is all that is shown: one line for each mistake, with the remedy.
 */
export class CannotStart extends Error {
  override readonly name = 'CannotStart';
}

/**
 * Converts an error to a {@link CannotStart}. One that is such an error, or was caused by one, is
 * returned unchanged.
 * @param words Returns the message for any other error.
 */
export function asCannotStart(error: unknown, words: (error: Error) => string): CannotStart {
  const { cause } = error as Error;
  const known = [error, cause].find((each) => each instanceof CannotStart);
  return known ?? new CannotStart(words(error as Error), { cause: error });
}
