import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Request, Response } from 'express';
import type { ListSnapshot } from '../app/order-list.ts';

const OPEN = Buffer.from('[');
const CLOSE = Buffer.from(']');

/**
 * Sends the whole list from the pages that all answers share: nothing is copied for one client,
 * and a slow one holds back only itself. Its ETag names the store and the position of the log, so
 * one comparison tells whether anything has happened since.
 */
export async function sendList(
  req: Request,
  res: Response,
  storeId: string,
  { position, pages }: ListSnapshot<Buffer>,
): Promise<void> {
  res.setHeader('ETag', `"${storeId}-${position}"`);
  res.setHeader('Cache-Control', 'private, no-cache');
  if (req.fresh) {
    res.status(304).end();
    return;
  }
  res.type('json');
  const chunks = bodyOf(pages);
  res.setHeader(
    'Content-Length',
    chunks.reduce((length, chunk) => length + chunk.length, 0),
  );
  if (req.method === 'HEAD') res.end();
  else await pipeline(Readable.from(chunks, { objectMode: true }), res).catch(ignoreGoneClient);
}

/** The pages between brackets. The comma before the first order is left out. */
function bodyOf([first, ...rest]: readonly Buffer[]): readonly Buffer[] {
  return first === undefined ? [OPEN, CLOSE] : [OPEN, first.subarray(1), ...rest, CLOSE];
}

function ignoreGoneClient(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
}
