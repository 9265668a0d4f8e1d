/**
 * Something was checked, and it is not what it must be: neither a mistake of whoever asked nor a
 * failure of the program, so it has an exit code of its own. The message says what comes of it.
 */
export class Refuted extends Error {
  override readonly name = 'Refuted';
}

/** Something was checked and is genuine, and does not show what it was to show. */
export class ShowsOtherwise extends Error {
  override readonly name = 'ShowsOtherwise';
}
