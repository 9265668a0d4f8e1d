import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { CLOCKS } from '../../../app/clock.ts';
import { UserError } from '../../../app/lifecycle/user-error.ts';
import type { StoreWatcher } from '../../../app/ports/store.ts';
import { Standby } from '../connection/route.ts';
import { Unconfirmed } from '../connection/standbys.ts';

/** The interval of the attempts, in milliseconds. */
const TRY_INTERVAL_MS = 500;
/** The interval of log lines during the wait, in milliseconds. */
const LOG_INTERVAL_MS = 10_000;

/**
 * Opens a store, and waits for a database that is not reachable yet, such as one that starts at the
 * same time. Errors that do not pass by themselves, such as a wrong password, are thrown at once.
 * @param waitMs The limit of the wait, in milliseconds. Throws {@link UserError} after it.
 */
export async function openWhenThere<Opened>(
  open: () => Promise<Opened>,
  watcher: Pick<StoreWatcher, 'impaired' | 'mended' | 'noticed'>,
  waitMs: number,
): Promise<Opened> {
  const began = CLOCKS.elapsed();
  for (let loggedAt = began; ; ) {
    try {
      const opened = await open();
      watcher.mended('database_unreachable');
      return opened;
    } catch (error) {
      if (waitMs === 0 || !mayPass(error)) throw error;
      const { message } = error as Error;
      const leftMs = began + waitMs - CLOCKS.elapsed();
      if (leftMs <= 0) {
        const waited = `Waited ${waitMs / 1_000} s.`;
        throw new UserError(`${message} ${waited}`, { cause: error });
      }
      watcher.impaired('database_unreachable', error as Error);
      if (CLOCKS.elapsed() - loggedAt >= LOG_INTERVAL_MS) {
        loggedAt = CLOCKS.elapsed();
        const details = { secondsLeft: Math.ceil(leftMs / 1_000), cause: message };
        watcher.noticed('still waiting for the database', details);
      }
      await setTimeout(Math.min(TRY_INTERVAL_MS, leftMs));
    }
  }
}

/**
 * Returns true if a failure to connect may pass by itself: no server listens, answers or is found;
 * the server is starting or stopping, or has too many connections; another session holds a lock. If
 * several hosts were tried, one such failure is enough: a standby may be promoted soon.
 */
function mayPass(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(mayPass);
  if (error instanceof Standby) return false;
  if (error instanceof Unconfirmed) return true;
  if (error instanceof pg.DatabaseError)
    return /^(?:57P0[123]|53300|55P03|08)/.test(error.code ?? '');
  if (!(error instanceof Error)) return false;
  const { code = '' } = error as NodeJS.ErrnoException;
  return PASSING.has(code) || SILENCE.test(error.message) || mayPass(error.cause);
}

const PASSING: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  // The folder of a Unix socket, before the server has started.
  'ENOENT',
]);

/** The driver's messages for a connection that was cut, or not made in time. */
const SILENCE = /^(?:Connection terminated|timeout expired|Query read timeout)/;
