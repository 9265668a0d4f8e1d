/** Sends documents in the encoding that a client prefers, or 304 if it has the document already. */
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Request, Response } from 'express';
import { keepUntilTaken } from './untaken.ts';

export const JSON_UTF_8 = 'application/json; charset=utf-8';

/** The Cache-Control of responses for one client, which it must revalidate each time. */
export const PRIVATE = 'private, no-cache';

/** The Cache-Control of documents whose address changes with their content. */
export const IMMUTABLE = 'public, max-age=31536000, immutable';

/** Compresses a whole document. */
export const compress = promisify<Buffer, Buffer>(gzip);

/**
 * Returns true if the client prefers an alternative representation (RFC 9110, section 12.5.1). A range with
 * parameters, such as `text/csv; charset=utf-8`, covers what has them all: both are given as they are sent.
 * @param usual The Content-Types under which a client may ask for the usual one.
 */
export function prefers(req: Request, alternative: string, usual: readonly string[]): boolean {
  return req.accepts([...usual, alternative]) === alternative;
}

/** Returns true if the client prefers gzip to no encoding. */
export function acceptsGzip(req: Request): boolean {
  if (req.headers['accept-encoding'] === undefined) return false;
  return req.acceptsEncodings('gzip', 'identity') === 'gzip';
}

/** Sends a document made for this request, compressed if the client prefers that. */
export async function sendNegotiated(req: Request, res: Response, body: Buffer): Promise<void> {
  const isCompressed = acceptsGzip(req);
  if (isCompressed) res.setHeader('Content-Encoding', 'gzip');
  const sent = isCompressed ? await compress(body) : body;
  res.setHeader('Content-Length', sent.length);
  // Not by Express's own send, which would answer 304 even for a document without an ETag.
  res.end(sent);
  keepUntilTaken(res, sent.length);
}

/**
 * Sets the ETag of the response, and answers 304, as the whole response, to a client that has it
 * already. The compressed form is another sequence of bytes and has an ETag of its own (RFC 9110,
 * section 8.8.3).
 * @param tag The name of the document, without quotes.
 */
export function isNotModified(
  req: Request,
  res: Response,
  tag: string,
  cacheControl: typeof PRIVATE | typeof IMMUTABLE | 'no-cache',
): boolean {
  res.setHeader('ETag', etagOf(tag, acceptsGzip(req)));
  res.setHeader('Cache-Control', cacheControl);
  res.vary('Accept-Encoding');
  if (!req.fresh) return false;
  res.status(304).end();
  return true;
}

/** Returns true if a conditional request names this ETag, which the response then has. */
export function isKnown(req: Request, res: Response, etag: string): boolean {
  // Most requests are unconditional: nothing has to be compared.
  if (req.headers['if-none-match'] === undefined) return false;
  res.setHeader('ETag', etag);
  return req.fresh;
}

/** Returns the ETag of a document in one of its two encodings. */
export function etagOf(tag: string, isCompressed: boolean): string {
  return isCompressed ? `"${tag}-gzip"` : `"${tag}"`;
}

/**
 * Returns the Vary header of a negotiated response, including what the handler of other origins has
 * set.
 */
export function varyOf(res: Response): string {
  const before = res.getHeader('Vary');
  return before === undefined ? 'Accept-Encoding' : `${before}, Accept-Encoding`;
}

/**
 * Sends JSON for one client. Not by Express's own send, which would answer 304 even for a document
 * without an ETag.
 * @param own Further headers: names and values in turn.
 */
export function sendJson(
  res: Response,
  status: 200 | 201,
  json: string,
  own: readonly string[] = [],
): void {
  const length = Buffer.byteLength(json);
  const rest = [
    'Cache-Control',
    PRIVATE,
    'Content-Type',
    JSON_UTF_8,
    'Content-Length',
    `${length}`,
  ];
  res.writeHead(status, [...own, ...rest]).end(json);
  keepUntilTaken(res, length);
}
