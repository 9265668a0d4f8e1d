/** Documents that are the same for every client, made at the first request and compressed once. */
import { hash } from 'node:crypto';
import type { Request, Response } from 'express';
import { acceptsGzip, compress, IMMUTABLE, isNotModified, JSON_UTF_8 } from './negotiation.ts';

/** The media types of documents, by the ends of their names. */
const TYPES = {
  atom: 'application/atom+xml; charset=utf-8',
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  json: JSON_UTF_8,
  png: 'image/png',
  svg: 'image/svg+xml',
  txt: 'text/plain; charset=utf-8',
} as const;

export type Kind = keyof typeof TYPES;

/** Returns the kind of a file by the end of its name; any other file is plain text. */
export function kindOf(name: string): Kind {
  const end = name.slice(name.lastIndexOf('.') + 1);
  return Object.hasOwn(TYPES, end) ? (end as Kind) : 'txt';
}

/** A document that is the same for every client: plain and compressed, with its ETag. */
export interface FixedAnswer {
  readonly contentType: string;
  readonly tag: string;
  readonly plain: Buffer;
  readonly gzip: Buffer;
  /** True if the address names the content by a hash of it. */
  readonly isImmutable: boolean;
}

export async function fixedAnswer(
  kind: Kind,
  body: string | Buffer,
  { isImmutable = false } = {},
): Promise<FixedAnswer> {
  const plain = Buffer.from(body);
  const tag = hash('sha256', plain, 'base64url').slice(0, 22);
  return { contentType: TYPES[kind], tag, plain, gzip: await compress(plain), isImmutable };
}

/**
 * Returns a function that calls `make` at its first call and caches the result, so that a start
 * does not wait for what most processes never need. After a failure the next call tries again.
 */
export function lazily<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => {
    made ??= make().catch((error) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}

/**
 * Sends the document. Caches must revalidate it by its ETag, so that an upgrade is visible at once;
 * an immutable one they may keep.
 */
export function sendFixed(
  req: Request,
  res: Response,
  { contentType, tag, plain, gzip, isImmutable }: FixedAnswer,
): void {
  if (isNotModified(req, res, tag, isImmutable ? IMMUTABLE : 'no-cache')) return;
  const isCompressed = acceptsGzip(req);
  if (isCompressed) res.setHeader('Content-Encoding', 'gzip');
  res.setHeader('Content-Type', contentType);
  res.send(isCompressed ? gzip : plain);
}
