/** The exit codes of the command line, and the errors that have one of their own. */

export const EXIT_CODES: Readonly<Record<number, string>> = {
  0: 'success',
  1: 'a failure, which standard error explains',
  2: 'a usage error: nothing was done',
  3: 'a check has found a flaw',
  4: 'a receipt is genuine, and does not show the cancellation that it was to show',
};

/** A failure with an exit code of its own. */
export abstract class Failure extends Error {
  abstract readonly exitCode: number;
}

/** A check has found a flaw: neither a mistake of the user nor a failure of the program. */
export class Refuted extends Failure {
  override readonly name = 'Refuted';
  readonly exitCode = 3;
}

/** A receipt is genuine, and does not show the cancellation that it was to show. */
export class ShowsOtherwise extends Failure {
  override readonly name = 'ShowsOtherwise';
  readonly exitCode = 4;
}
