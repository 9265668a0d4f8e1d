/** The log as Server-Sent Events, sent to one client as the log grows. */
import { once } from 'node:events';
import type { Request, Response } from 'express';
import type { EventFilter } from '../../app/audit/trail/history.ts';
import type { Follower } from '../../app/audit/trail/tail.ts';
import type { Epochs } from '../../app/log/epochs.ts';

export const STREAM = 'text/event-stream';
/** The Content-Type of the stream. */
export const STREAM_UTF_8 = `${STREAM}; charset=utf-8`;

const HEARTBEAT_MS = 15_000;
/** The interval at which the client's key is checked to be still in force. */
const KEY_CHECK_MS = 500;
/** The longest wait at the end of the stream for a client that does not read, in milliseconds. */
const END_WAIT_MS = 1_000;
/** The delay before a client should reconnect, in milliseconds. */
const RECONNECT_MS = 1_000;

/** An open event stream. */
export interface EventStream {
  readonly after: number;
  readonly filter: EventFilter;
  readonly follower: Follower;
  readonly epochs: Epochs;
  /** Returns true while the client's key is in force. */
  readonly mayGoOn: () => Promise<boolean>;
}

/**
 * Sends the log as Server-Sent Events (HTML standard), with positions as ids. The next chunk is
 * read only when the previous one is on its way to the client, so that a slow client costs no more
 * memory than a fast one.
 *
 * If no event matched, an id without data reports how far the log was read: it moves the client's
 * Last-Event-ID and is not an event.
 */
export async function sendEventStream(
  req: Request,
  res: Response,
  { after, filter, follower, epochs, mayGoOn }: EventStream,
): Promise<void> {
  const { left } = follower;
  const leave = () => follower.leave();
  res.once('close', leave);
  const cut = () => void res.destroy();
  // The client may have disconnected while its key was looked up.
  if (res.destroyed) leave();
  const heartbeat = setInterval(() => res.writableNeedDrain || res.write(':\n\n'), HEARTBEAT_MS);
  const check = () => mayGoOn().then((may) => may || leave(), leave);
  const keyCheck = setInterval(check, KEY_CHECK_MS);
  try {
    res.setHeader('Content-Type', STREAM_UTF_8);
    // Makes nginx pass on events at once instead of filling a buffer.
    res.setHeader('X-Accel-Buffering', 'no');
    if (req.method === 'HEAD') return;
    // A stream has no end for which a client could close its sending side: that client has gone.
    req.socket.once('end', cut);
    if (req.socket.readableEnded) cut();
    res.write(`retry: ${RECONNECT_MS}\n\n`);
    for await (const { events, end } of follower.runs(after, filter)) {
      const text = events
        .map(({ position, json }) => `id: ${epochs.write(position)}\ndata: ${json}\n\n`)
        .join('');
      const isTaken = res.write(
        events.at(-1)?.position === end ? text : `${text}id: ${epochs.write(end)}\n\n`,
      );
      if (!isTaken) await once(res, 'drain', { signal: left }).catch(() => undefined);
    }
  } finally {
    req.socket.off('end', cut);
    clearInterval(heartbeat);
    clearInterval(keyCheck);
    leave();
    const timer = setTimeout(() => res.destroy(), END_WAIT_MS).unref();
    res.end(() => clearTimeout(timer));
  }
}
