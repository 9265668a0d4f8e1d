/**
 * Follows the log in one page among others. Over HTTP/1.1 a browser opens 6 connections to an address, of all its
 * tabs together, and an event stream holds one of them: with as many streams, nothing of the service would answer
 * in that browser any more. So a page that is hidden holds none, and of those in view one has the stream. The
 * others ask for pages, once a second, until it is their turn.
 */
import { pause } from '../../client/limit.ts';

/** The wait for the turn before pages are asked for, in milliseconds: a page that is left or hidden ends its own late. */
const TURN_WAIT_MS = 500;
/** The lock of the page that has the stream. Locks are of all tabs and windows of an origin. */
const LOCK = 'store-orders-console-stream';

/** Follows the log until the signal aborts. Rejects with what does not pass. */
export type Follow = (over: 'stream' | 'pages', signal: AbortSignal) => Promise<void>;

/** The locks of a browser, as far as they are used here. */
export interface Locks {
  request(
    name: string,
    options: { readonly signal: AbortSignal },
    run: () => Promise<void>,
  ): Promise<unknown>;
}

/** @param locks Absent on pages without https, but for those of this machine: there are pages only. */
export async function followInTurn(
  locks: Locks | undefined,
  follow: Follow,
  signal: AbortSignal,
): Promise<void> {
  const [all, waiting] = [new AbortController(), new AbortController()];
  const end = () => {
    all.abort();
    waiting.abort();
  };
  signal.addEventListener('abort', end);
  const paged = pause(locks === undefined ? 0 : TURN_WAIT_MS, waiting.signal).then(async () => {
    if (!waiting.signal.aborted) await follow('pages', waiting.signal);
  });
  let hasTurn = false;
  const streamed = async () => {
    hasTurn = true;
    waiting.abort();
    // Behind the last event of the pages.
    await paged;
    await follow('stream', all.signal);
  };
  const turn = locks?.request(LOCK, { signal: all.signal }, streamed).catch((error: unknown) => {
    // A browser that blocks the data of sites has no locks either.
    if (hasTurn) throw error;
  });
  await Promise.all([paged, turn]).finally(end);
}

/** A page that may be hidden, such as a `Document`. */
export interface Sight {
  readonly hidden: boolean;
  addEventListener(type: 'visibilitychange', listener: () => void): void;
  removeEventListener(type: 'visibilitychange', listener: () => void): void;
}

/** Calls a function whenever the page comes into view. Its signal aborts when the page is hidden. Returns a function that ends both. */
export function whileShown(page: Sight, run: (signal: AbortSignal) => void): () => void {
  let shown: AbortController | undefined;
  const look = () => {
    if (page.hidden) {
      shown?.abort();
      shown = undefined;
    } else if (shown === undefined) {
      shown = new AbortController();
      run(shown.signal);
    }
  };
  page.addEventListener('visibilitychange', look);
  look();
  return () => {
    page.removeEventListener('visibilitychange', look);
    shown?.abort();
  };
}
