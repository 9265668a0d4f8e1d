import { once } from 'node:events';
import type { Request, Response } from 'express';
import type { Follower } from '../app/audit/tail.ts';
import type { Epochs } from '../app/epochs.ts';

/** How often those who wait are shown that the connection lives, in milliseconds. */
const HEARTBEAT = 15_000;
/** How often it is asked whether the stream may go on, in milliseconds. */
const LOOK = 500;
/** How long one who does not take its answer may hold up the end of the stream, in milliseconds. */
const PATIENCE = 1_000;

/** How long a client should wait before it comes back, in milliseconds. */
const RETRY = 1_000;

/** What goes on for as long as both sides like. */
export interface EventStream {
  readonly after: number;
  readonly type: string | undefined;
  readonly follower: Follower;
  readonly epochs: Epochs;
  /** Whether whoever asked may go on reading. */
  readonly mayGoOn: () => Promise<boolean>;
}

/**
 * Sends the log as Server-Sent Events, as the HTML standard has them: each with its position as its
 * id. Nothing is read before what was read last is on its way to the client, so that a slow one
 * costs no more memory than a fast one.
 *
 * An id without data says how far the log was read where there was nothing to tell: it moves the
 * client's Last-Event-ID and is no event to it.
 */
export async function sendEventStream(
  req: Request,
  res: Response,
  { after, type, follower, epochs, mayGoOn }: EventStream,
): Promise<void> {
  const { left } = follower;
  const leave = () => follower.leave();
  res.once('close', leave);
  // The client may have gone while it was asked who it is.
  if (res.destroyed) leave();
  const beat = setInterval(() => res.writableNeedDrain || res.write(':\n\n'), HEARTBEAT);
  const look = setInterval(() => mayGoOn().then((may) => may || leave(), leave), LOOK);
  try {
    res.setHeader('Content-Type', 'text/event-stream; charset=utf-8');
    // nginx would hold back what is no full buffer yet.
    res.setHeader('X-Accel-Buffering', 'no');
    if (req.method === 'HEAD') return;
    res.write(`retry: ${RETRY}\n\n`);
    for await (const { events, end } of follower.pages(after, type)) {
      const text = events
        .map(({ position, json }) => `id: ${epochs.write(position)}\ndata: ${json}\n\n`)
        .join('');
      const isTaken = res.write(
        events.at(-1)?.position === end ? text : `${text}id: ${epochs.write(end)}\n\n`,
      );
      if (!isTaken) await once(res, 'drain', { signal: left }).catch(() => undefined);
    }
  } finally {
    clearInterval(beat);
    clearInterval(look);
    leave();
    const timer = setTimeout(() => res.destroy(), PATIENCE).unref();
    res.end(() => clearTimeout(timer));
  }
}
