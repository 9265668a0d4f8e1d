import { hash } from 'node:crypto';
import type { Express, Request, RequestHandler, Response } from 'express';
import { acceptsGzip, compress, isNotModified } from './negotiation.ts';
import { allowOnly } from './operation.ts';

/** A document that is the same for whoever asks: both forms of its bytes, and what names them. */
export interface FixedAnswer {
  readonly contentType: string;
  readonly tag: string;
  readonly plain: Buffer;
  readonly gzip: Buffer;
}

export async function fixedAnswer(
  contentType: string,
  body: string | Buffer,
): Promise<FixedAnswer> {
  const plain = Buffer.from(body);
  const tag = hash('sha256', plain, 'base64url').slice(0, 22);
  return { contentType, tag, plain, gzip: await compress(plain) };
}

/**
 * Serves a document without a key. It is kept by whoever has it, and asked for again by its ETag:
 * an upgrade of the service is seen at once.
 */
export function serveFixed(
  app: Express,
  path: string,
  answer: (req: Request) => Promise<FixedAnswer>,
  ...before: readonly RequestHandler[]
): void {
  const route = app.route(path);
  route.get(...before, async (req, res) => send(req, res, await answer(req)));
  allowOnly(route, ['get']);
}

/**
 * Makes something when somebody first asks: most processes never are, and a start should take no
 * longer for it. What could not be made is tried again.
 */
export function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => {
    made ??= make().catch((error) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}

function send(req: Request, res: Response, { contentType, tag, plain, gzip }: FixedAnswer): void {
  if (isNotModified(req, res, tag, 'no-cache')) return;
  const isCompressed = acceptsGzip(req);
  if (isCompressed) res.setHeader('Content-Encoding', 'gzip');
  res.setHeader('Content-Type', contentType);
  res.send(isCompressed ? gzip : plain);
}
