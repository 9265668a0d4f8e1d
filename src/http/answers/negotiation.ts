/** Sends documents in the form that a client accepts, or 304 to one that has the document already. */
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Request, Response } from 'express';

export const JSON_UTF_8 = 'application/json; charset=utf-8';

/** The Cache-Control of answers for one client alone, who has to revalidate them each time. */
export const PRIVATE = 'private, no-cache';

/** Compresses a whole document. */
export const compress = promisify<Buffer, Buffer>(gzip);

/** Returns whether the client prefers gzip to no encoding. */
export function acceptsGzip(req: Request): boolean {
  if (req.headers['accept-encoding'] === undefined) return false;
  return req.acceptsEncodings('gzip', 'identity') === 'gzip';
}

/** Sends a document that was made for this request, compressed for a client that prefers that. */
export async function sendNegotiated(req: Request, res: Response, body: Buffer): Promise<void> {
  const isCompressed = acceptsGzip(req);
  if (isCompressed) res.setHeader('Content-Encoding', 'gzip');
  const sent = isCompressed ? await compress(body) : body;
  res.setHeader('Content-Length', sent.length);
  // Not Express's own send: to a document without an ETag it would answer 304 as well.
  res.end(sent);
}

/**
 * Sets the ETag that the answer will have, and answers 304 to a client that has it already: then
 * there is nothing left to do. The compressed form is another sequence of bytes and has an ETag of
 * its own (RFC 9110, section 8.8.3).
 * @param tag The name of the document, without quotes.
 */
export function isNotModified(
  req: Request,
  res: Response,
  tag: string,
  cacheControl: typeof PRIVATE | 'no-cache',
): boolean {
  res.setHeader('ETag', etagOf(tag, acceptsGzip(req)));
  res.setHeader('Cache-Control', cacheControl);
  res.vary('Accept-Encoding');
  if (!req.fresh) return false;
  res.status(304).end();
  return true;
}

/** Returns whether a conditional request names this ETag. The answer has the ETag then. */
export function isKnown(req: Request, res: Response, etag: string): boolean {
  // Most requests are unconditional, and then there is nothing to compare.
  if (req.headers['if-none-match'] === undefined) return false;
  res.setHeader('ETag', etag);
  return req.fresh;
}

/** Returns the ETag of a document in one of its two forms. */
export function etagOf(tag: string, isCompressed: boolean): string {
  return isCompressed ? `"${tag}-gzip"` : `"${tag}"`;
}

/** Returns the Vary header of a negotiated answer, with what other origins have put into it before. */
export function varyOf(res: Response): string {
  const before = res.getHeader('Vary');
  return before === undefined ? 'Accept-Encoding' : `${before}, Accept-Encoding`;
}

/**
 * Sends JSON for one client alone. Not by Express's own send: to a document without an ETag it would
 * answer 304 as well.
 * @param own More headers, names and values in turn.
 */
export function sendJson(
  res: Response,
  status: 200 | 201,
  json: string,
  own: readonly string[] = [],
): void {
  const length = String(Buffer.byteLength(json));
  const rest = ['Cache-Control', PRIVATE, 'Content-Type', JSON_UTF_8, 'Content-Length', length];
  res.writeHead(status, [...own, ...rest]).end(json);
}
