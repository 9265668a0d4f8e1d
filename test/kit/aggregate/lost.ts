/** Errors that are lost answers, and errors that are mistakes in the code that throws them. */

/** The advice for a target of which an answer was lost, not a command. */
export const HOW_TO_LOSE =
  'If an answer was lost, let isLost of the session return true for this error.';

/** The errors of JavaScript for mistakes in code, and those of assertion libraries. */
const MISTAKES = ['TypeError', 'ReferenceError', 'RangeError', 'AssertionError'];

/**
 * Returns true for an error that no lost answer throws: a mistake in the code. By name, as it may come from
 * another realm. One with a cause is none: fetch throws a TypeError if a connection is cut.
 */
export function isOwnMistake(error: unknown): boolean {
  const { name, cause } = Object(error) as Partial<Error>;
  return MISTAKES.includes(name ?? '') && cause === undefined;
}

const LOST_CODES = /^(?:ECONN|EPIPE|ETIMEDOUT|EHOST|ENET|EAI_|UND_ERR_)/;
const LOST_NAMES = ['AbortError', 'TimeoutError'];

/** Returns true for an error of a network by which an answer is lost, such as a cut connection, or with one as its cause. */
export function isCut(error: unknown): boolean {
  const { name = '', code, cause } = Object(error) as NodeJS.ErrnoException;
  if (LOST_NAMES.includes(name) || LOST_CODES.test(String(code))) return true;
  return cause !== undefined && isCut(cause);
}
