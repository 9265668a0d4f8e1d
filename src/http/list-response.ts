import type { Request, Response } from 'express';
import type { ListSnapshot } from '../app/order-list.ts';
import { gzipFile, gzipPieceSync } from './gzip.ts';
import type { ListPage } from './list-page.ts';
import { acceptsGzip, etagOf, isKnown, JSON_UTF_8, PRIVATE, varyOf } from './negotiation.ts';

/**
 * How many bytes one answer hands to the system at once, before others get a turn. What is left
 * then, if it is no more than that, is not worth another one.
 */
const BYTES_PER_TURN = 524_288;
/** Up to so many bytes, a copy is cheaper than one more chunk to keep account of. */
const SMALL = 131_072;

// What a list without a page begins with, and what every list ends with.
const OPEN = Buffer.from('[');
const CLOSE = Buffer.from(']');
const OPEN_PIECE = gzipPieceSync(OPEN);
const CLOSE_PIECE = gzipPieceSync(CLOSE);

/** A body as it goes over the wire: chunks that all answers share, none copied for one client. */
interface Body {
  readonly chunks: readonly Buffer[];
  readonly length: number;
  /** What the head of an answer says of it, names and values in turn. */
  readonly head: readonly string[];
}

/**
 * Sends the whole list. Its ETag names the log and its position, so one comparison
 * tells whether anything has happened since.
 * @param giveWay What a long list waits for each time that it lets others have their turn.
 */
export async function sendList(
  req: Request,
  res: Response,
  logName: string,
  snapshot: ListSnapshot<ListPage>,
  giveWay: () => Promise<void>,
): Promise<void> {
  const etag = etagOf(req, `${logName}-${snapshot.state}`);
  const head = ['ETag', etag, 'Cache-Control', PRIVATE, 'Vary', varyOf(res)];
  if (isKnown(req, res, etag)) {
    res.writeHead(304, head).end();
    return;
  }
  const body = acceptsGzip(req) ? await gzipBody(snapshot) : jsonBody(snapshot);
  res.writeHead(200, [...head, ...body.head]);
  if (req.method === 'HEAD') res.end();
  else if (body.chunks.length === 1) res.end(body.chunks[0]);
  else await write(res, body, giveWay);
}

const bodies = new WeakMap<ListSnapshot<ListPage>, Body>();
const gzipBodies = new WeakMap<ListSnapshot<ListPage>, Promise<Body>>();

function jsonBody(snapshot: ListSnapshot<ListPage>): Body {
  return remembered(bodies, snapshot, ({ pages }) => {
    const chunks = pages.length === 0 ? [OPEN] : pages.map(({ json }) => json);
    return bodyOf([...chunks, CLOSE]);
  });
}

function gzipBody(snapshot: ListSnapshot<ListPage>): Promise<Body> {
  return remembered(gzipBodies, snapshot, async ({ pages }) => {
    const pieces = await Promise.all(pages.map((page) => page.gzip()));
    const file = gzipFile([...(pages.length === 0 ? [OPEN_PIECE] : pieces), CLOSE_PIECE]);
    return bodyOf(file, ['Content-Encoding', 'gzip']);
  });
}

/** Puts small chunks together, as far as they follow one another; large ones are never copied. */
function bodyOf(chunks: readonly Buffer[], encoding: readonly string[] = []): Body {
  const groups: Buffer[][] = [];
  let room = 0;
  for (const chunk of chunks) {
    if (chunk.length > room) {
      groups.push([]);
      room = SMALL;
    }
    groups.at(-1)?.push(chunk);
    room -= chunk.length;
  }
  const length = chunks.reduce((length, chunk) => length + chunk.length, 0);
  return {
    chunks: groups.map((group) =>
      group.length === 1 ? (group[0] as Buffer) : Buffer.concat(group),
    ),
    length,
    head: [...encoding, 'Content-Type', JSON_UTF_8, 'Content-Length', `${length}`],
  };
}

function remembered<Key extends object, Value>(
  memory: WeakMap<Key, Value>,
  key: Key,
  make: (key: Key) => Value,
): Value {
  const known = memory.get(key);
  if (known !== undefined) return known;
  const made = make(key);
  memory.set(key, made);
  return made;
}

/**
 * Writes the chunks as fast as the client takes them. A slow client holds nothing but its place in
 * the row of chunks, and a fast one lets others have their turn every half megabyte.
 */
async function write(
  res: Response,
  { chunks, length }: Body,
  giveWay: () => Promise<void>,
): Promise<void> {
  let bytes = 0;
  let left = length;
  // The header and what follows it leave in one system call.
  res.cork();
  for (const chunk of chunks) {
    if (bytes >= BYTES_PER_TURN && left > BYTES_PER_TURN) {
      res.uncork();
      await giveWay();
      await turn(res);
      if (res.closed) return;
      bytes = 0;
      res.cork();
    }
    res.write(chunk);
    bytes += chunk.length;
    left -= chunk.length;
  }
  res.uncork();
  res.end();
}

/** Resolves when the client has taken what was written, or has gone away. */
function turn(res: Response): Promise<void> {
  return new Promise((resolve) => {
    const settle = () => {
      res.off('drain', settle).off('close', settle);
      resolve();
    };
    if (!res.writableNeedDrain || res.closed) setImmediate(resolve);
    else res.on('drain', settle).on('close', settle);
  });
}
