/** The log as Server-Sent Events, sent to one client as the log grows. */
import { once } from 'node:events';
import type { Request, Response } from 'express';
import type { Follower } from '../../app/audit/tail.ts';
import type { Epochs } from '../../app/log/epochs.ts';

const HEARTBEAT_MS = 15_000;
/** The interval at which the client's key is checked to be still in force. */
const KEY_CHECK_MS = 500;
/** The longest that a client which does not take its answer may hold up the end of the stream. */
const END_WAIT_MS = 1_000;
/** The time for which a client should wait before it comes back. */
const RECONNECT_MS = 1_000;

/** An open event stream. */
export interface EventStream {
  readonly after: number;
  readonly type: string | undefined;
  readonly follower: Follower;
  readonly epochs: Epochs;
  /** Returns whether the client's key is still in force. */
  readonly mayGoOn: () => Promise<boolean>;
}

/**
 * Sends the log as Server-Sent Events, as the HTML standard has them: each with its position as its
 * id. Nothing is read before the previous chunk is on its way to the client, so that a slow client
 * costs no more memory than a fast one.
 *
 * An id without data reports how far the log was read where no event matched: it moves the client's
 * Last-Event-ID and is no event to it.
 */
export async function sendEventStream(
  req: Request,
  res: Response,
  { after, type, follower, epochs, mayGoOn }: EventStream,
): Promise<void> {
  const { left } = follower;
  const leave = () => follower.leave();
  res.once('close', leave);
  // The client may have gone while its key was looked up.
  if (res.destroyed) leave();
  const heartbeat = setInterval(() => res.writableNeedDrain || res.write(':\n\n'), HEARTBEAT_MS);
  const check = () => mayGoOn().then((may) => may || leave(), leave);
  const keyCheck = setInterval(check, KEY_CHECK_MS);
  try {
    res.setHeader('Content-Type', 'text/event-stream; charset=utf-8');
    // nginx would hold back what is no full buffer yet.
    res.setHeader('X-Accel-Buffering', 'no');
    if (req.method === 'HEAD') return;
    res.write(`retry: ${RECONNECT_MS}\n\n`);
    for await (const { events, end } of follower.runs(after, type)) {
      const text = events
        .map(({ position, json }) => `id: ${epochs.write(position)}\ndata: ${json}\n\n`)
        .join('');
      const isTaken = res.write(
        events.at(-1)?.position === end ? text : `${text}id: ${epochs.write(end)}\n\n`,
      );
      if (!isTaken) await once(res, 'drain', { signal: left }).catch(() => undefined);
    }
  } finally {
    clearInterval(heartbeat);
    clearInterval(keyCheck);
    leave();
    const timer = setTimeout(() => res.destroy(), END_WAIT_MS).unref();
    res.end(() => clearTimeout(timer));
  }
}
