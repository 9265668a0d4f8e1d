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

/** A failure with an exit code of its own: see {@link EXIT_CODES}. */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly exitCode: number;

  constructor(exitCode: number, message: string) {
    super(message);
    this.exitCode = exitCode;
  }
}

// In the order of the table, and in its words.
const failing = (exitCode: number) => (message: string) => new Failure(exitCode, message);

export const misused = failing(2);
export const refuted = failing(3);
export const showsOtherwise = failing(4);
export const refusedByService = failing(5);
export const unanswered = failing(6);
export const forked = failing(7);
export const logCut = failing(8);
export const unfinished = failing(9);
