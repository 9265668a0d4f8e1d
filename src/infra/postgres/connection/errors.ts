/** The meanings of PostgreSQL's errors. */

import pg from 'pg';
import { UserError } from '../../../app/lifecycle/user-error.ts';
import { DamagedStore } from '../../../app/ports/store.ts';
import { NotDurable } from './session.ts';
import { Unconfirmed } from './standbys.ts';

/**
 * Returns true if the server has refused a statement, so that its transaction has certainly failed.
 * A server that shuts down also reports an error, but may have committed before.
 */
export function isRefusal(error: unknown): error is pg.DatabaseError {
  return error instanceof pg.DatabaseError && !endsSession(error);
}

/**
 * Returns true if the server answers a read by an error that does not pass by itself, such as a table
 * or a right that is missing; not for a timeout, or where something is used up for the moment.
 */
export function isRefusedRead(error: Error): boolean {
  const cause = error.cause ?? error;
  return isRefusal(cause) && !/^(?:25|40|53|55|57)/.test(cause.code ?? '');
}

/**
 * Returns true if a read has failed for a reason that may pass, although the database answers: a lock
 * of another session, or something that is used up.
 */
export function isRefusedForNow(error: Error): boolean {
  const cause = (error.cause ?? error) as Error;
  return isRefusal(cause) || cause.message === NONE_FREE;
}

/**
 * Returns true if the server has refused a write for a reason that does not pass by itself, such as a
 * rule or a publication of somebody else; not for a missing right, which is found on its own.
 */
export function isRefusedForGood(error: Error): boolean {
  return isRefusal(error.cause ?? error) && !isHeldUp(error) && !isDenied(error);
}

/**
 * Returns true if the server has refused a write for a reason that may pass by itself, such as a lock of
 * another session, or a full disk.
 */
export function isHeldUp(error: Error): boolean {
  const cause = error.cause ?? error;
  return isRefusal(cause) && /^(?:25|40|53|55P03|55006|57)/.test(cause.code ?? '');
}

/** Returns true if the disk of the server is full. */
export function isDiskFull(error: Error): boolean {
  return codeOf(error) === '53100';
}

/** Returns the error of a server that is not durable, also as one of several hosts. */
export function notDurableIn(error: Error): NotDurable | undefined {
  const { cause = error } = error;
  const all: unknown[] = cause instanceof AggregateError ? cause.errors : [cause];
  return all.find((each) => each instanceof NotDurable);
}

/** Returns true if the server has no connection left, for anybody or for the user. */
export function isUsedUp(error: unknown): error is pg.DatabaseError {
  return error instanceof pg.DatabaseError && error.code === '53300';
}

/** Returns true if the user lacks a privilege. */
export function isDenied(error: Error): boolean {
  return codeOf(error) === '42501';
}

/** Returns true if a statement has waited too long for a lock of another session. */
export function isLocked(error: Error): boolean {
  return codeOf(error) === '55P03';
}

/** Returns true if a table or a column that a statement names is not there, or is another one. */
export function isOfAlteredSchema(error: Error): boolean {
  return /^42(?:P01|703|809|883)$/.test(codeOf(error) ?? '');
}

/**
 * Returns the error of work on an open store as a user of commands is to see it: PostgreSQL's words for a
 * lock of another session do not say where it is. Returns any other error unchanged.
 */
export function namingLock(error: unknown, place: string): unknown {
  if (error instanceof UserError || !isLocked(error as Error)) return error;
  return new UserError(
    `${place} is locked by another session, such as that of another command. ` +
      'Let it finish, and run this one again.',
    { cause: error },
  );
}

/** Returns true if a statement has divided by zero. */
export function isDivisionByZero(error: unknown): error is pg.DatabaseError {
  return error instanceof pg.DatabaseError && error.code === '22012';
}

function codeOf(error: Error): string | undefined {
  return ((error.cause ?? error) as pg.DatabaseError).code;
}

/**
 * Returns true if a key of the store's own tables refuses a row. The program writes only rows that it
 * lets through, so others have written before, where the row belongs.
 */
export function isTaken(error: unknown): error is pg.DatabaseError {
  const { code, schema } = error as pg.DatabaseError;
  return isRefusal(error) && code === '23505' && schema === 'store_orders';
}

/** Returns true if the server cannot read its stored data. */
export function isPostgresDamage(error: unknown): error is pg.DatabaseError {
  return error instanceof pg.DatabaseError && /^(?:22|58|XX)/.test(error.code ?? '');
}

/** Returns true if an error means that the database cannot be reached; not if it has been read. */
export function isOutage(error: Error): boolean {
  if (error instanceof pg.DatabaseError) return endsSession(error);
  return !(error instanceof DamagedStore || isThere(error));
}

/**
 * Returns true for an error that does not mean an outage: the database answers, but no commit is
 * confirmed or durable, or no connection is free.
 */
function isThere(error: Error): boolean {
  return (
    error instanceof Unconfirmed || notDurableIn(error) !== undefined || error.message === NONE_FREE
  );
}

/** The pool's message when no connection becomes free in time. */
const NONE_FREE = 'timeout exceeded when trying to connect';

// Classes 08, 57P, 58 and XX (PostgreSQL manual, appendix A): connection exceptions, shutdown, I/O
// errors, internal errors.
function endsSession({ code = 'XX000' }: pg.DatabaseError): boolean {
  return /^(?:08|57P|58|XX)/.test(code);
}
