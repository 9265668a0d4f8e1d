/**
 * The service or a command cannot start, for a reason that its user can do something about. The
 * message is all that they are shown: one line for each mistake, and what to do.
 */
export class CannotStart extends Error {
  override readonly name = 'CannotStart';
}
