/** The meanings of PostgreSQL's errors. */

import pg from 'pg';
import { Unconfirmed } from './session.ts';

/**
 * Returns true where the server has refused a statement, so that its transaction has certainly
 * failed. A server that goes down reports an error, too, but by then it may have committed.
 */
export function isRefusal(error: unknown): error is pg.DatabaseError {
  return error instanceof pg.DatabaseError && !endsSession(error);
}

/** Returns true where the user lacks a right. */
export function isDenied(error: Error): boolean {
  const { code } = (error.cause ?? error) as pg.DatabaseError;
  return code === '42501';
}

/** Returns true where the server cannot read what lies on its disk. */
export function isDamage(error: unknown): error is pg.DatabaseError {
  return error instanceof pg.DatabaseError && /^(?:22|58|XX)/.test(error.code ?? '');
}

/**
 * Returns true where the database answers all the same: no commit is confirmed, or no connection is
 * free.
 */
export function isThere(error: Error): boolean {
  return error instanceof Unconfirmed || error.message === NONE_FREE;
}

/** The pool's message where no connection is free. */
const NONE_FREE = 'timeout exceeded when trying to connect';

// Appendix A of PostgreSQL's manual: connection exceptions, the server going down, trouble with
// files, and what should never happen.
export function endsSession({ code = 'XX000' }: pg.DatabaseError): boolean {
  return /^(?:08|57P|58|XX)/.test(code);
}
