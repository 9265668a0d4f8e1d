/**
 * Handles the body of a request that is answered without it. A short body is read and discarded,
 * and the connection continues after it. Otherwise the response is the last on its connection:
 * however much a client sends, no more than the longest accepted body is read.
 */
import type { Request, Response } from 'express';
import type { Connection } from '../connections.ts';
import { MAX_BODY_BYTES } from './body.ts';
import { type Arriving, hasBody, intakeOf } from './intake.ts';

/** Returns true if the client is not waited for: it has no key, or sends too much. */
function isEnding(status: number, { context }: Request): boolean {
  return status === 401 || status === 413 || (status === 429 && context.key === undefined);
}

/** Must be called when the head of a response is about to be written. */
export function settleUnread(req: Arriving, res: Response, status: number): void {
  if (req.complete) req.intake?.release();
  else if (hasBody(req) && req.headers['content-length'] !== '0') settle(req, res, status);
}

function settle(req: Arriving, res: Response, status: number): void {
  const connection: Connection = req.socket;
  const lengthBytes = Number(req.headers['content-length'] ?? 0);
  if (connection.isClosing || isEnding(status, res.req) || lengthBytes > MAX_BODY_BYTES) {
    res.shouldKeepAlive = false;
    connection.isClosing = true;
  }
  intakeOf(req).discard(MAX_BODY_BYTES, () => {
    connection.isClosing = true;
    if (res.closed) connection.destroySoon();
    else res.once('close', () => connection.destroySoon());
  });
}
