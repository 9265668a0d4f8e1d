/** The cooperation of a long response with other work and with the pace of its client. */
import type { Writable } from 'node:stream';
import type { Response } from 'express';
import { Turns } from '../../app/event-loop.ts';
import { UNTAKEN } from './untaken.ts';

/** The functions by which sending a list cooperates with other work. */
export interface Sending {
  /** Awaited between the parts of a long list, so that commands are not delayed. */
  readonly giveWay: () => Promise<void>;
  /** Called, at least once, as soon as only the client is waited for. */
  readonly made: () => void;
  /** The bytes that the response has of its own while its client is waited for; absent if it shares all. */
  readonly ownBytes?: number;
}

/** Shared by all long responses, with a permit or without: many that go on at once take one turn each. */
const TURNS = new Turns();

/**
 * Resolves when the next part of a long response may be made: the client has read the parts before, or
 * has disconnected, and other work has had its turn. A client that is waited for releases its permit of
 * a long read.
 *
 * The turn is needed behind a drain, too: of parts that the system takes at once, Node reports it before
 * the event loop turns.
 * @param out What is written to: the response, or what compresses it.
 */
export async function nextPart(
  res: Response,
  { giveWay, made, ownBytes = 0 }: Sending,
  out: Writable = res,
): Promise<void> {
  // From here on the client decides how long it takes: nobody else has to wait for that.
  if (res.writableNeedDrain) made();
  if (out.writableNeedDrain) {
    const leave = UNTAKEN.keep(res, ownBytes);
    await drained(res, out);
    leave();
  }
  await giveWay();
  await TURNS.next();
}

/** Resolves when the written bytes are read, or the client has disconnected. */
function drained(res: Response, out: Writable): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      out.off('drain', done);
      res.off('close', done);
      resolve();
    };
    if (res.closed) resolve();
    else {
      out.on('drain', done);
      res.on('close', done);
    }
  });
}
