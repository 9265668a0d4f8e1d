/** The cooperation of a long response with other work and with the pace of its client. */
import type { Writable } from 'node:stream';
import type { Response } from 'express';

/** The functions by which sending a list cooperates with other work. */
export interface Sending {
  /** Awaited between the parts of a long list, so that commands are not delayed. */
  readonly giveWay: () => Promise<void>;
  /** Called, at least once, as soon as only the client is waited for. */
  readonly made: () => void;
}

/**
 * Resolves when the client has read the written bytes, or has disconnected.
 * @param out What is written to: the response, or what compresses it.
 */
export function drained(res: Response, out: Writable = res): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      out.off('drain', done);
      res.off('close', done);
      resolve();
    };
    if (!out.writableNeedDrain || res.closed) setImmediate(resolve);
    else {
      out.on('drain', done);
      res.on('close', done);
    }
  });
}
