import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Request, Response } from 'express';

/** What every document that can be asked for again has in common, whatever it is made of. */

/** Compresses a whole document. */
export const compress = promisify<Buffer, Buffer>(gzip);

/** Whether the client would rather have it compressed. */
export function acceptsGzip(req: Request): boolean {
  const asked = req.headers['accept-encoding'];
  // Most clients send what the one before them sent.
  if (asked !== lastAsked) {
    lastAnswered = req.acceptsEncodings('gzip', 'identity') === 'gzip';
    lastAsked = asked;
  }
  return lastAnswered;
}

/** Sends a document that is made for this request, compressed for those who would rather have it so. */
export async function sendNegotiated(req: Request, res: Response, body: Buffer): Promise<void> {
  const isCompressed = acceptsGzip(req);
  if (isCompressed) res.setHeader('Content-Encoding', 'gzip');
  const sent = isCompressed ? await compress(body) : body;
  res.setHeader('Content-Length', sent.length);
  // Not Express's own send: to a document without an ETag it would answer 304 as well.
  res.end(sent);
}

let lastAsked: string | string[] | undefined;
let lastAnswered = false;

type CacheControl = 'private, no-cache' | 'no-cache';

/**
 * Says by which ETag the answer will be known, and answers 304 to whoever has it already: then
 * there is nothing left to do. The compressed form is another sequence of bytes and has an ETag of
 * its own (RFC 9110, section 8.8.3).
 * @param tag What names the document, without quotes.
 */
export function isNotModified(
  req: Request,
  res: Response,
  tag: string,
  cacheControl: CacheControl,
): boolean {
  res.setHeader('ETag', etagOf(req, tag));
  res.setHeader('Cache-Control', cacheControl);
  res.vary('Accept-Encoding');
  if (!req.fresh) return false;
  res.status(304).end();
  return true;
}

/**
 * The same, to be handed over with the head of an answer to who has asked without a condition, so that
 * there is nothing to compare: names and values in turn, which takes half the time.
 */
export function unconditional(
  req: Request,
  res: Response,
  tag: string,
  cacheControl: CacheControl,
): string[] {
  const vary = res.getHeader('Vary');
  const varies = vary === undefined ? 'Accept-Encoding' : `${vary}, Accept-Encoding`;
  return ['ETag', etagOf(req, tag), 'Cache-Control', cacheControl, 'Vary', varies];
}

function etagOf(req: Request, tag: string): string {
  return acceptsGzip(req) ? `"${tag}-gzip"` : `"${tag}"`;
}
