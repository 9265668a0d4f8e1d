/**
 * A check has found a flaw: neither a mistake of the user nor a failure of the program, so it has
 * an exit code of its own.
 */
export class Refuted extends Error {
  override readonly name = 'Refuted';
}

/** A receipt is genuine, and does not show the cancellation that it was to show. */
export class ShowsOtherwise extends Error {
  override readonly name = 'ShowsOtherwise';
}
