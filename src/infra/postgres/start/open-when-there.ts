import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { CLOCKS } from '../../../app/clock.ts';
import { CannotStart } from '../../../app/lifecycle/cannot-start.ts';
import type { StoreWatcher } from '../../../app/ports/store.ts';
import { Standby } from '../connection/route.ts';
import { Unconfirmed } from '../connection/session.ts';

/** The interval of the attempts, in milliseconds. */
const TRY_INTERVAL_MS = 500;
/** The interval of the log's lines about the wait, in milliseconds. */
const LOG_INTERVAL_MS = 10_000;

/**
 * Opens a store, and waits for a database that is away: one that starts at the same time, for
 * example. What waiting cannot mend, such as a wrong password, is thrown at once.
 * @param waitMs For how long, in milliseconds. Throws {@link CannotStart} after that.
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
        throw new CannotStart(`${message} ${waited}`, { cause: error });
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
 * Returns true where a failure to connect may pass by itself: nobody listens, or answers, or finds
 * the host; the server is starting or stopping, or has too many connections. Where several hosts
 * were tried, one of them is enough: a standby may be the primary soon.
 */
function mayPass(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(mayPass);
  if (error instanceof Standby) return false;
  if (error instanceof Unconfirmed) return true;
  if (error instanceof pg.DatabaseError) return /^(?:57P0[123]|53300|08)/.test(error.code ?? '');
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
  // The folder of a socket, before the server is there.
  'ENOENT',
]);

/** The driver's words for a connection that is cut, or not made in time. */
const SILENCE = /^(?:Connection terminated|timeout expired|Query read timeout)/;
