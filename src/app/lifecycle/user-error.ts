/**
 * Thrown if the service or a command cannot start or go on, for a reason that its user can remedy.
 * The message is all that is shown: one line for each mistake, with the remedy.
 */
export class UserError extends Error {
  override readonly name = 'UserError';
}

/** Thrown instead of beginning a copy of a store where there is a store already. */
export class StoreIsThere extends UserError {
  /** The id of the copy, if it is a complete one that is not in use yet; otherwise `undefined`. */
  readonly copyId: string | undefined;

  constructor(message: string, copyId?: string) {
    super(message);
    this.copyId = copyId;
  }
}

/**
 * Converts an error to a {@link UserError}. One that is such an error, or was caused by one, is
 * returned unchanged.
 * @param words Returns the message for any other error.
 */
export function asUserError(error: unknown, words: (error: Error) => string): UserError {
  const { cause } = error as Error;
  const known = [error, cause].find((each) => each instanceof UserError);
  return known ?? new UserError(words(error as Error), { cause: error });
}
