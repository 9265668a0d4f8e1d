/**
 * Handles the body of a request that is answered without it. A short body is read and discarded,
 * and the connection continues after it. Otherwise the response is the last on its connection:
 * however much a client sends, no more than the longest accepted body is read.
 */
import type { Request, Response } from 'express';
import type { Connection } from '../connections.ts';
import { MAX_BODY_BYTES } from './body.ts';

/** Returns true if the client is not waited for: it has no key, or sends too much. */
function isEnding(status: number, { context }: Request): boolean {
  return status === 401 || status === 413 || (status === 429 && context.key === undefined);
}

/**
 * Must be called when the head of a response is about to be written before the request is complete.
 */
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

/** Discards a body of unknown length. If it is too long, the connection ends after the response. */
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
