/**
 * The end of a request whose answer does not wait for its body. A body that is short, or becomes it, is
 * read and discarded, and the connection goes on behind it. Otherwise the answer is the last on it:
 * whatever a client sends, no more than a body's length of it is read.
 */
import type { Request, Response } from 'express';
import type { Connection } from '../connections.ts';
import { MAX_BODY_BYTES } from './body.ts';

/** Returns whether a client is not waited for: it has no key, or sends too much. */
function isEnding(status: number, { context }: Request): boolean {
  return status === 401 || status === 413 || (status === 429 && context.key === undefined);
}

/** To be called when the head of an answer is about to be written and the request is not complete. */
export function settleUnread(req: Request, res: Response, status: number): void {
  const { 'content-length': length = '0', 'transfer-encoding': coding } = req.headers;
  if (coding === undefined && length === '0') return;
  const connection: Connection = req.socket;
  if (connection.isClosing || isEnding(status, req) || Number(length) > MAX_BODY_BYTES) {
    res.shouldKeepAlive = false;
    connection.isClosing = true;
  } else if (coding !== undefined) {
    discard(req, res, connection);
  }
}

/** Discards a body of unknown length. Where it is too long, the connection ends behind the answer. */
function discard(req: Request, res: Response, connection: Connection): void {
  let left = MAX_BODY_BYTES;
  req.on('data', ({ length }: Buffer) => {
    left -= length;
    if (left >= 0) return;
    req.pause();
    connection.isClosing = true;
    if (res.closed) connection.destroySoon();
    else res.once('close', () => connection.destroySoon());
  });
}
