/** The exit codes of the command line, and the errors that have one of their own. */

export const EXIT_CODES: Readonly<Record<number, string>> = {
  0: 'success',
  1: 'a failure, which standard error explains',
  2: 'a usage error: nothing was done',
  3: 'a check has found a flaw',
  4: 'a receipt is genuine, and does not show the cancellation that it was to show',
  5: 'the service has refused the request: the same request leads to nothing else',
  6: 'the service has not answered, or not to the end: try again',
  7: 'a log has forked: it has signed two trees that contradict each other',
  8: 'a log was cut: it goes on in another epoch, without its last events',
  9: 'the time was over before all checks had run: none that ran has failed',
};

/** A failure with an exit code of its own. */
export abstract class Failure extends Error {
  abstract readonly exitCode: number;
}

/** A command cannot be carried out as it is given: no service was asked. */
export class Misused extends Failure {
  override readonly name = 'Misused';
  readonly exitCode = 2;
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

/** The service has refused a request: to repeat it as it is leads to nothing else. */
export class RefusedByService extends Failure {
  override readonly name = 'RefusedByService';
  readonly exitCode = 5;
}

/** The service has not answered, or not as itself. A command may have been carried out. */
export class Unanswered extends Failure {
  override readonly name = 'Unanswered';
  readonly exitCode = 6;
}

/** A log has signed two trees, neither of which begins with the other. */
export class Forked extends Failure {
  override readonly name = 'Forked';
  readonly exitCode = 7;
}

/** A log goes on in another epoch, without its last events. */
export class LogCut extends Failure {
  override readonly name = 'LogCut';
  readonly exitCode = 8;
}

/** The time was over before all checks had run. Those that ran have found nothing. */
export class Unfinished extends Failure {
  override readonly name = 'Unfinished';
  readonly exitCode = 9;
}
