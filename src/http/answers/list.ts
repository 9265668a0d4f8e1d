/** Version 1's list of all orders. It is sent in chunks, which are kept encoded (docs/adr/0007). */
import { once } from 'node:events';
import type { Request, Response } from 'express';
import { nextTurn } from '../../app/event-loop.ts';
import type { EncodedList } from '../../app/state/encoded-lists.ts';
import type { OrderEvent } from '../../domain/order.ts';
import { cutOff } from '../request-context.ts';
import { Inflater } from './deflate.ts';
import { GzipFile, gzipPieceSync } from './gzip.ts';
import { ListChunk } from './list-chunk.ts';
import type { ListVersions } from './list-versions.ts';
import { acceptsGzip, etagOf, isKnown, JSON_UTF_8, PRIVATE, varyOf } from './negotiation.ts';
import { nextPart, type Sending } from './sending.ts';
import { keepUntilTaken } from './untaken.ts';

/**
 * The bytes that are written before other requests get a turn. A remainder of up to that size is
 * sent at once.
 */
const TURN_BYTES = 524_288;
/** The compressed chunks that are put together before other requests get a turn: in about 2 ms. */
const TURN_CHUNKS = 1_024;
/**
 * Up to this size, a body is copied into one buffer. Longer ones are not copied: versions share
 * their chunks.
 */
const MAX_COPIED_BYTES = 131_072;
const TOO_OLD = 'the client was too slow: the list has changed too much since it began to read';

/** Version 1 does not show cancellations. */
export const NOT_SHOWN: readonly OrderEvent['type'][] = ['OrderCancelled'];

// The beginning of a list without chunks, and the end of every list.
const OPEN = Buffer.from('[');
const CLOSE = Buffer.from(']');
const OPEN_PIECE = gzipPieceSync(OPEN);
const CLOSE_PIECE = gzipPieceSync(CLOSE);

type Part = Buffer | ListChunk;
type List = EncodedList<ListChunk>;

/** A body as it is sent: parts shared by all responses, none copied for a single client. */
interface Body {
  readonly parts: readonly Part[];
  readonly length: number;
  /** Its own headers: names and values in turn. */
  readonly head: readonly string[];
}

interface ListSending extends Sending {
  readonly versions: ListVersions<ListChunk>;
}

/**
 * Sends the whole list, or a newer one if there is one. Its ETag names the log and its position, so
 * one comparison decides if anything has happened since.
 */
export async function sendList(
  req: Request,
  res: Response,
  logName: string,
  newest: List,
  sending: ListSending,
): Promise<void> {
  const { list, leave } = sending.versions.read(newest, () => cutOff(req, TOO_OLD));
  try {
    const isCompressed = acceptsGzip(req);
    const etag = etagOf(`${logName}-${list.state}`, isCompressed);
    const head = ['ETag', etag, 'Cache-Control', PRIVATE, 'Vary', varyOf(res)];
    if (isKnown(req, res, etag)) {
      res.writeHead(304, head).end();
      return;
    }
    const body = isCompressed ? await gzipBody(list) : await jsonBody(list);
    // The client may have disconnected, or been cut off.
    if (res.closed) return;
    res.writeHead(200, [...head, ...body.head]);
    if (req.method === 'HEAD') res.end();
    else if (body.parts.length === 1) res.end(body.parts[0]);
    else await write(res, body, sending);
  } finally {
    leave();
  }
}

const jsonBodies = new WeakMap<List, Promise<Body>>();
const gzipBodies = new WeakMap<List, Promise<Body>>();

function jsonBody(list: List): Promise<Body> {
  return remembered(jsonBodies, list, ({ chunks }) => {
    return bodyOf([...(chunks.length === 0 ? [OPEN] : chunks), CLOSE]);
  });
}

function gzipBody(list: List): Promise<Body> {
  return remembered(gzipBodies, list, async ({ chunks }) => {
    const file = new GzipFile();
    if (chunks.length === 0) file.add(OPEN_PIECE);
    for (let begin = 0; begin < chunks.length; begin += TURN_CHUNKS) {
      if (begin > 0) await nextTurn();
      const some = chunks.slice(begin, begin + TURN_CHUNKS);
      for (const piece of await Promise.all(some.map((chunk) => chunk.gzip()))) file.add(piece);
    }
    file.add(CLOSE_PIECE);
    return bodyOf(file.end(), ['Content-Encoding', 'gzip']);
  });
}

/** Joins the parts of a short body, so that it is sent in one piece. */
async function bodyOf(all: readonly Part[], encoding: readonly string[] = []): Promise<Body> {
  const length = all.reduce((length, part) => length + part.length, 0);
  return {
    parts: length > MAX_COPIED_BYTES ? all : [await joined(all)],
    length,
    head: [...encoding, 'Content-Type', JSON_UTF_8, 'Content-Length', `${length}`],
  };
}

async function joined(parts: readonly Part[]): Promise<Buffer> {
  const all: Buffer[] = [];
  using inflater = new Inflater();
  for (const part of parts) await pass(part, inflater, (bytes) => all.push(bytes));
  return Buffer.concat(all);
}

/** Passes the bytes of a part on. */
async function pass(part: Part, inflater: Inflater, use: (bytes: Buffer) => void): Promise<void> {
  if (part instanceof ListChunk) await part.pass(inflater, use);
  else use(part);
}

/** Makes the body of a list once. After a failure the next call tries again. */
function remembered(
  memory: WeakMap<List, Promise<Body>>,
  list: List,
  make: (list: List) => Promise<Body>,
): Promise<Body> {
  const known = memory.get(list);
  if (known !== undefined) return known;
  const made = make(list);
  memory.set(list, made);
  made.catch(() => memory.delete(list));
  return made;
}

/** Writes the body, and resolves when it is no longer in use. */
async function write(res: Response, body: Body, sending: Sending): Promise<void> {
  const ownBytes = await writeParts(res, body, sending);
  if (res.closed) return;
  res.uncork();
  res.end();
  keepUntilTaken(res, ownBytes);
  sending.made();
  // Until then the last written parts are in use.
  if (!res.closed) await once(res, 'close');
}

/**
 * Writes the parts as fast as the client reads, the last ones corked. A slow client costs no memory
 * but its place in the parts, and a fast one lets others have a turn every half megabyte.
 * Returns the bytes of the last parts that were unpacked for this client alone.
 */
async function writeParts(
  res: Response,
  { parts, length }: Body,
  sending: Sending,
): Promise<number> {
  using inflater = new Inflater();
  let bytes = 0;
  let ownBytes = 0;
  let left = length;
  const writeBytes = (bytes: Buffer) => {
    if (!res.closed) res.write(bytes);
  };
  // The head and the first parts are written in one system call.
  res.cork();
  for (const part of parts) {
    if (bytes >= TURN_BYTES && left > TURN_BYTES) {
      res.uncork();
      await nextPart(res, { ...sending, ownBytes });
      bytes = 0;
      ownBytes = 0;
      res.cork();
    }
    if (res.closed) return 0;
    if (part instanceof ListChunk && part.text === undefined) ownBytes += part.length;
    await pass(part, inflater, writeBytes);
    bytes += part.length;
    left -= part.length;
  }
  return ownBytes;
}
