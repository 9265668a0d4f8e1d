import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Request, Response } from 'express';

/** What every document that can be asked for again has in common, whatever it is made of. */

export const JSON_UTF_8 = 'application/json; charset=utf-8';

/** Whoever keeps what only some may see has to ask each time whether it is still the same. */
export const PRIVATE = 'private, no-cache';

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
  cacheControl: typeof PRIVATE | 'no-cache',
): boolean {
  res.setHeader('ETag', etagOf(req, tag));
  res.setHeader('Cache-Control', cacheControl);
  res.vary('Accept-Encoding');
  if (!req.fresh) return false;
  res.status(304).end();
  return true;
}

/** Whether whoever asks for it under a condition has it already. Then its ETag is set. */
export function isKnown(req: Request, res: Response, etag: string): boolean {
  // Most clients ask without one, and then there is nothing to compare.
  if (req.headers['if-none-match'] === undefined) return false;
  res.setHeader('ETag', etag);
  return req.fresh;
}

/** The ETag of a document, in the form that is sent to this client. */
export function etagOf(req: Request, tag: string): string {
  return acceptsGzip(req) ? `"${tag}-gzip"` : `"${tag}"`;
}

/** What the answer varies by, with what was said of it before, as for other origins. */
export function varyOf(res: Response): string {
  const said = res.getHeader('Vary');
  return said === undefined ? 'Accept-Encoding' : `${said}, Accept-Encoding`;
}

/**
 * Sends JSON that only some may see. What else its head has is handed over with it, names and values
 * in turn. Not by Express's own send: to a document without an ETag it would answer 304 as well.
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
